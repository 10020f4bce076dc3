import { describe, expect, it } from "vitest";
import { deriveRecoveryKeys, signRecoveryChallenge, verifyRecoverySignature } from "./recovery-keys.js";

const code = Uint8Array.from({ length: 16 }, (_, index) => index);
const { locator, signInKey, signInPublicKey, wrappingSecret } = await deriveRecoveryKeys(code);
const challenge = { origin: "https://accounts.example", challenge: "c2VydmVy" };
const signature = await signRecoveryChallenge(signInKey, challenge);

describe("the keys of a recovery code", () => {
  it("never change: accounts store their public halves", () => {
    expect({ locator, signInPublicKey }).toMatchInlineSnapshot(`
      {
        "locator": "Z7bxJFYYjgIHsUeYL-_E5g",
        "signInPublicKey": "pcFu1XH24u35y6KXRnhsJ8ey3wBfEFbFKXnlRawN1ZA",
      }
    `);
    expect(Buffer.from(wrappingSecret).toString("hex")).toMatchInlineSnapshot(
      `"1e4510c01df153517258017a8daa6f734763f3acab53544c75c2f753ea8c4ab9"`,
    );
  });

  it("cannot be exported", async () => {
    await expect(crypto.subtle.exportKey("pkcs8", signInKey)).rejects.toThrow();
  });
});

describe("a signed challenge", () => {
  it("is accepted with the account's public key", async () => {
    expect(await verifyRecoverySignature(signInPublicKey, signature, challenge)).toBe(true);
  });

  it.each([
    ["another challenge", signInPublicKey, signature, { ...challenge, challenge: "YW5vdGhlcg" }],
    ["another origin", signInPublicKey, signature, { ...challenge, origin: "https://evil.example" }],
    ["another public key", "A".repeat(43), signature, challenge],
    ["no public key", "", signature, challenge],
    ["no signature", signInPublicKey, "", challenge],
    ["a signature that is not base64url", signInPublicKey, "§", challenge],
    ["a signature of another length", signInPublicKey, signature.slice(4), challenge],
  ])("is rejected with %s", async (_, key, signed, expected) => {
    expect(await verifyRecoverySignature(key, signed, expected)).toBe(false);
  });
});
