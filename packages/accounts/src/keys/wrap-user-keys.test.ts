import { createDecipheriv, hkdfSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnwrapError, unwrapUserKeys, type WrappingPlace, wrapUserKeys } from "./wrap-user-keys.js";

const secret = new Uint8Array(32).fill(7);
const keys = new TextEncoder().encode("private keys");
const place: WrappingPlace = { accountId: "a-1", purpose: "passkey" };
const wrapped = await wrapUserKeys(keys, secret, place);
const flipped = (text: string) => `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;

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

  it("are AES-256-GCM with a key from HKDF-SHA-256 (RFC 5869), bound to account, purpose and version", () => {
    const [salt, nonce, bytes] = [wrapped.salt, wrapped.nonce, wrapped.ciphertext].map((text) =>
      Buffer.from(text, "base64url"),
    );
    if (salt === undefined || nonce === undefined || bytes === undefined) throw new Error("a member is missing");
    const info = "platform accounts 1: wrap user keys, passkey";
    const decipher = createDecipheriv("aes-256-gcm", Buffer.from(hkdfSync("sha256", secret, salt, info, 32)), nonce);
    decipher.setAAD(Buffer.from('["platform accounts: user keys",1,"a-1","passkey"]')).setAuthTag(bytes.subarray(-16));
    expect(Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()])).toEqual(Buffer.from(keys));
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
    ["text that is not base64url", { ...wrapped, ciphertext: "§" }, secret, place],
    ["a version of the future", JSON.parse(JSON.stringify({ ...wrapped, version: 2 })), secret, place],
  ])("cannot be unwrapped with %s", async (_, given, with_, at) => {
    await expect(unwrapUserKeys(given, with_, at)).rejects.toThrow(UnwrapError);
  });
});
