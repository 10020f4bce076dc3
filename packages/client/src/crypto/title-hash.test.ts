import { describe, expect, it } from "vitest";
import { titleHash } from "./title-hash.js";

const make = (hash = "SHA-256") => crypto.subtle.generateKey({ name: "HMAC", hash }, false, ["sign"]);

describe("the hash of a title", () => {
  it("is 32 bytes and the same for composed and decomposed accents", async () => {
    const key = await make();
    expect(await titleHash(key, "Cafe\u0301")).toBe(await titleHash(key, "Caf\u00e9"));
    expect(await titleHash(key, "")).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it("differs for another title and for another key", async () => {
    const [key, other] = [await make(), await make()];
    const hashes = await Promise.all([titleHash(key, "a"), titleHash(key, "A"), titleHash(other, "a")]);
    expect(new Set(hashes).size).toBe(3);
  });

  it("requires an HMAC-SHA-256 key", async () => {
    await expect(titleHash(await make("SHA-1"), "a")).rejects.toThrow(TypeError);
    const aes = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
    await expect(titleHash(aes, "a")).rejects.toThrow(TypeError);
  });
});
