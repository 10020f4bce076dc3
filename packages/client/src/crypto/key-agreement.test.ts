import { expect, it } from "vitest";
import { encodeBase64url, utf8 } from "./bytes.js";
import { agreementKeys, vectors } from "./fixtures/vectors.js";
import { concatKdf } from "./key-agreement.js";

it("derives the key of RFC 7518 appendix C", async () => {
  // The vectors contain the same two keys: Alice's is the ephemeral one.
  const alice = await agreementKeys(vectors.keyAgreement.ephemeralPrivateKey);
  const bob = await agreementKeys(vectors.keyAgreement.recipientPrivateKey);
  const z = await crypto.subtle.deriveBits({ name: "ECDH", public: bob.publicKey }, alice.privateKey, 256);
  const secret = new Uint8Array(z);
  expect([...secret.slice(0, 8)]).toEqual([158, 86, 217, 29, 129, 113, 53, 211]);
  const parties = { partyU: utf8("Alice"), partyV: utf8("Bob") };
  const derived = await concatKdf({ secret, algorithmId: "A128GCM", ...parties, keyBits: 128 });
  expect(encodeBase64url(derived)).toBe("VqqN6vgjbSBcIijNcacQGg");
});
