import { createPlatformClient, waitForDeviceAuthorization } from "@platform-rpc/client/json";
import { createProofKey, type PublicJwk, restoreProofKey, type WebCryptoKeyPair } from "@platform-rpc/client/pop";

const database = "program";
const keys = "keys";
const name = "proof-key";

/** Creates the browser's proof key and stores it in IndexedDB. */
export async function makeProofKey(): Promise<{ readonly publicJwk: PublicJwk; readonly thumbprint: string }> {
  const { keyPair, publicJwk, thumbprint } = await createProofKey();
  await inStore("readwrite", (store) => store.put(keyPair, name));
  return { publicJwk, thumbprint };
}

interface ProvenRequest {
  readonly baseUrl: string;
  readonly token: string;
  readonly approvedCode: string;
  readonly htu: string;
}

/** Gets the broker token that is bound to the stored key, and creates a proof for a request with that key. */
export async function proveWithKeptKey({ baseUrl, token, approvedCode, htu }: ProvenRequest) {
  const kept: WebCryptoKeyPair = await inStore("readonly", (store) => store.get(name));
  const key = await restoreProofKey(kept);
  const client = createPlatformClient({ baseUrl, token });
  const { brokerToken } = await waitForDeviceAuthorization(client, approvedCode, { pollNow: true });
  const accessToken = brokerToken.accessToken.reveal();
  const dpop = await key.createProof({ htm: "POST", htu, accessToken });
  const { extractable } = kept.privateKey;
  return { authorization: `DPoP ${accessToken}`, dpop, popKeyId: brokerToken.popKeyId, extractable };
}

function inStore<Result>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database);
    opening.onupgradeneeded = () => opening.result.createObjectStore(keys);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const request = ask(opening.result.transaction(keys, mode).objectStore(keys));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    };
  });
}
