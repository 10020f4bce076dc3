import { describe, expect, it } from "vitest";
import { generateMemberKeys, MemberKeysError, openMemberKeys } from "./member-keys.js";
import { generateUserKeys } from "./user-keys.js";

const { subtle } = crypto;
const place = { accountId: "ada", userKeys: await generateUserKeys() };
const otherKeys = await generateUserKeys();
const sealed = await generateMemberKeys(place);
const message = new TextEncoder().encode("message");

describe("the member keys of a person", () => {
  it("open with the keys of the person: the signature is verified with the public key that the server has", async () => {
    const { signingKey, verificationKey } = await openMemberKeys(sealed, place);
    const signature = await subtle.sign("Ed25519", signingKey, message);
    expect(await subtle.verify("Ed25519", verificationKey, signature, message)).toBe(true);
    const jwk = { kty: "OKP", crv: "Ed25519", x: sealed.signingPublicKey };
    const published = await subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
    expect(await subtle.verify("Ed25519", published, signature, message)).toBe(true);
  });

  it("cannot be exported by a script", async () => {
    const { signingKey, wrappingKey } = await openMemberKeys(sealed, place);
    await expect(subtle.exportKey("pkcs8", signingKey)).rejects.toThrow();
    await expect(subtle.exportKey("raw", wrappingKey)).rejects.toThrow();
  });

  it("a public key that the server replaces is not used: the one in the ciphertext verifies", async () => {
    const other = await generateMemberKeys(place);
    const opened = await openMemberKeys({ ...sealed, signingPublicKey: other.signingPublicKey }, place);
    const signature = await subtle.sign("Ed25519", opened.signingKey, message);
    expect(await subtle.verify("Ed25519", opened.verificationKey, signature, message)).toBe(true);
  });

  it.each<[string, Partial<typeof sealed>, Partial<typeof place>]>([
    ["of another account", {}, { accountId: "bob" }],
    ["of somebody with other keys", {}, { userKeys: otherKeys }],
    [
      "with an altered ciphertext",
      { ciphertext: `${sealed.ciphertext.startsWith("A") ? "B" : "A"}${sealed.ciphertext.slice(1)}` },
      {},
    ],
    ["that are truncated", { ciphertext: sealed.ciphertext.slice(0, -4) }, {}],
    ["with another nonce", { nonce: "A".repeat(16) }, {}],
    ["that are not base64url", { ciphertext: "!" }, {}],
  ])("%s are refused", async (_, changes, changed) => {
    const opening = openMemberKeys({ ...sealed, ...changes }, { ...place, ...changed });
    await expect(opening).rejects.toThrow(MemberKeysError);
  });
});
