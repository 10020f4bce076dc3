import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnwrapError, unwrapUserKeys, type WrappingPlace, wrapUserKeys } from "./wrap-user-keys.js";

const secret = new Uint8Array(32).fill(7);
const keys = new TextEncoder().encode("private keys");
const place: WrappingPlace = { accountId: "a-1", purpose: "passkey" };
const wrapped = await wrapUserKeys(keys, secret, place);
const flipped = (text: string) => `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;

/** Sets a bit of the last character that belongs to no byte. */
const nonCanonical = (text: string) => text.replace(/.$/, (end) => String.fromCharCode(end.charCodeAt(0) + 1));

describe("wrapped user keys", () => {
  it("have a format that never changes: the server stores them", async () => {
    const stored = {
      version: 1,
      salt: "AAECAwQFBgcICQoLDA0ODw",
      nonce: "AAECAwQFBgcICQoL",
      ciphertext: "0go5TvKRpPAUtJAqopxD2ad-XCLYYKzkZ0rGcg",
    } as const;
    expect(await unwrapUserKeys(stored, secret, place)).toEqual(keys);
  });

  it("unwrap as the same bytes for every secret, account and purpose", async () => {
    const input = fc.record({
      keys: fc.uint8Array({ maxLength: 4096 }),
      secret: fc.uint8Array({ minLength: 16, maxLength: 64 }),
      accountId: fc.uuid(),
      purpose: fc.constantFrom("passkey", "recovery code"),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ accountId, purpose, ...one }) => {
        const at = { accountId, purpose };
        const bytes = Uint8Array.from(one.keys);
        const key = Uint8Array.from(one.secret);
        expect(await unwrapUserKeys(await wrapUserKeys(bytes, key, at), key, at)).toEqual(bytes);
      }),
    );
  });

  it("have a fresh salt and nonce each time", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => wrapUserKeys(keys, secret, place)));
    expect(new Set(all.map(({ salt }) => salt)).size).toBe(20);
    expect(new Set(all.map(({ nonce }) => nonce)).size).toBe(20);
  });

  it.each<[string, typeof wrapped, Uint8Array<ArrayBuffer>, WrappingPlace]>([
    ["another secret", wrapped, new Uint8Array(32).fill(8), place],
    ["another account", wrapped, secret, { ...place, accountId: "a-2" }],
    ["another purpose", wrapped, secret, { ...place, purpose: "recovery code" }],
    ["another salt", { ...wrapped, salt: flipped(wrapped.salt) }, secret, place],
    ["another nonce", { ...wrapped, nonce: flipped(wrapped.nonce) }, secret, place],
    ["another ciphertext", { ...wrapped, ciphertext: flipped(wrapped.ciphertext) }, secret, place],
    ["a shortened ciphertext", { ...wrapped, ciphertext: wrapped.ciphertext.slice(0, -4) }, secret, place],
    ["a salt that is not canonical", { ...wrapped, salt: nonCanonical(wrapped.salt) }, secret, place],
    ["text that is not base64url", { ...wrapped, ciphertext: "§" }, secret, place],
    ["a version of the future", JSON.parse(JSON.stringify({ ...wrapped, version: 2 })), secret, place],
  ])("cannot be unwrapped with %s", async (_, given, with_, at) => {
    await expect(unwrapUserKeys(given, with_, at)).rejects.toThrow(UnwrapError);
  });
});
