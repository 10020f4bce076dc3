import { createProofKey, type ProofKey, restoreProofKey, type WebCryptoKeyPair } from "@platform-rpc/client/pop";

/** The key of this device: the one that was kept, or a new one. The store keeps the pair as it is. */
export async function proofKeyOf(store: Map<string, WebCryptoKeyPair>): Promise<ProofKey> {
  const kept = store.get("proof-key");
  if (kept !== undefined) return restoreProofKey(kept);
  const made = await createProofKey();
  store.set("proof-key", made.keyPair);
  return made; // JSON.stringify(made.publicJwk) is the popPublicJwk of a device authorization
}

/** Calls a broker with a token that is bound to the key. Each request carries a new proof. */
export async function callBroker(key: ProofKey, url: string, accessToken: string): Promise<Response> {
  const proof = await key.createProof({ htm: "POST", htu: url, accessToken });
  return fetch(url, { method: "POST", headers: { Authorization: `DPoP ${accessToken}`, DPoP: proof } });
}
