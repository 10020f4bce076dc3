import { describe, expect, it } from "vitest";
import { titleHash } from "./title-hash.js";

const make = (hash = "SHA-256") => crypto.subtle.generateKey({ name: "HMAC", hash }, false, ["sign"]);

describe("the hash of a title", () => {
  it("requires an HMAC-SHA-256 key", async () => {
    await expect(titleHash(await make("SHA-1"), "a")).rejects.toThrow(TypeError);
    const aes = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
    await expect(titleHash(aes, "a")).rejects.toThrow(TypeError);
  });
});
