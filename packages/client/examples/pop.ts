import { createProofKey, type ProofKey, restoreProofKey, type WebCryptoKeyPair } from "@platform-rpc/client/pop";

/** Returns the stored key of this device, or creates and stores a new one. The store contains key pairs, not exported keys. */
export async function proofKeyOf(store: Map<string, WebCryptoKeyPair>): Promise<ProofKey> {
  const stored = store.get("proof-key");
  if (stored !== undefined) return restoreProofKey(stored);
  const key = await createProofKey();
  store.set("proof-key", key.keyPair);
  return key; // JSON.stringify(key.publicJwk) is the popPublicJwk of a device authorization
}

/** Calls a broker with a token that is bound to the key. Each request needs a new proof. */
export async function callBroker(key: ProofKey, url: string, accessToken: string): Promise<Response> {
  const proof = await key.createProof({ htm: "POST", htu: url, accessToken });
  return fetch(url, { method: "POST", headers: { Authorization: `DPoP ${accessToken}`, DPoP: proof } });
}
