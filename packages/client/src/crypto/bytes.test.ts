import fc from "fast-check";
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

  it("decodes exactly what encodes to the same text", () => {
    const text = fc.string({ unit: fc.constantFrom(..."AQgwEI048xyz-_"), maxLength: 12 });
    fc.assert(
      fc.property(text, (encoded) => {
        const bytes = decodeBase64url(encoded);
        const canonical = Buffer.from(encoded, "base64url").toString("base64url") === encoded;
        expect(bytes === undefined ? undefined : encodeBase64url(bytes)).toBe(canonical ? encoded : undefined);
      }),
      { numRuns: 2000 },
    );
  });

  it("encodes and decodes what is longer than a call can have arguments", () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
    const encoded = Buffer.from(bytes).toString("base64url");
    expect(encodeBase64url(bytes) === encoded).toBe(true);
    expect(Buffer.compare(decodeBase64url(encoded) ?? Buffer.of(), bytes)).toBe(0);
  });

  it.each(["Zg==", "Zm9v\n", "Zm+v", "Zmüv"])("rejects %j, which has other characters", (text) => {
    expect(decodeBase64url(text)).toBeUndefined();
  });
});
