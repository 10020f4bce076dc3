/** The content of an item that no test opens. */
export const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "p-1", wrapAlg: "RSA-OAEP-256", wrappedKey: "a2V5" }],
};
