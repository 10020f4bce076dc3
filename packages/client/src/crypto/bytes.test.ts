import { describe, expect, it } from "vitest";
import { decodeBase64url, encodeBase64url } from "./bytes.js";

describe("base64url without padding (RFC 4648 section 5)", () => {
  it.each([
    ["", ""],
    ["f", "Zg"],
    ["fo", "Zm8"],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg"],
    ["fooba", "Zm9vYmE"],
    ["foobar", "Zm9vYmFy"],
  ])("matches the vectors of section 10: encodes %j as %j", (text, encoded) => {
    const bytes = Uint8Array.from(Buffer.from(text));
    expect(encodeBase64url(bytes)).toBe(encoded);
    expect(decodeBase64url(encoded)).toEqual(bytes);
  });

  it("encodes every byte value as Node does", () => {
    for (let length = 254; length <= 256; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => index);
      const encoded = Buffer.from(bytes).toString("base64url");
      expect(encodeBase64url(bytes)).toBe(encoded);
      expect(decodeBase64url(encoded)).toEqual(bytes);
    }
  });

  it.each(["Zg==", "Zh", "Zm9", "Z", "Zm9v\n", "Zm+v", "Zm/v", "Zm 9v", "Zmüv"])(
    "rejects the non-canonical text %j",
    (text) => {
      expect(decodeBase64url(text)).toBeUndefined();
    },
  );
});
