import { isPlatformError } from "@platform-rpc/client";
import { createProofKey, restoreProofKey, type WebCryptoKeyPair } from "@platform-rpc/client/pop";
import { ask, newUser } from "./environment.js";
import { entries, errorOf, proveToBroker } from "./suite.js";
import { expectMatch, type Suite } from "./test-runner.js";

/** On a page of an origin that may call the platform. */
export const allowedPage: Suite = (test) => {
  for (const [entry, createPlatformClient] of Object.entries(entries)) {
    test(`a page with ${entry} can read Retry-After`, async (environment) => {
      const { token, item } = await newUser(environment);
      let readable: string | null = null;
      const { vault } = createPlatformClient({
        baseUrl: environment.baseUrl,
        token,
        retry: false,
        fetch: async (input, init) => {
          const response = await fetch(input, init);
          readable = response.headers.get("Retry-After");
          return response;
        },
      });
      let limited: unknown;
      for (let call = 0; call < 100 && limited === undefined; call += 1) {
        await vault.deleteItem(item).catch((thrown: unknown) => {
          limited = thrown;
        });
      }
      expectMatch(isPlatformError(limited, "RATE_LIMITED") && Number(limited.retryAfterMs) > 0, true);
      expectMatch(/^\d+$/.test(`${readable}`), true);
    });
  }

  test("a page stores the proof key that it creates in IndexedDB", async () => {
    const { keyPair } = await createProofKey();
    await inStore("readwrite", (store) => store.put(keyPair, "proof-key"));
  });
};

/** On the same page, after it was loaded again. */
export const reloadedPage: Suite = (test) => {
  test("RFC 9449: a key that a page stored in IndexedDB survives a reload, and creates proofs for the broker token bound to it", async (environment) => {
    const kept: WebCryptoKeyPair = await inStore("readonly", (store) => store.get("proof-key"));
    expectMatch(kept.privateKey.extractable, false);
    await proveToBroker(environment, await restoreProofKey(kept));
  });
};

/** On a page of an origin that may not call the platform. */
export const foreignPage: Suite = (test) => {
  for (const [entry, createPlatformClient] of Object.entries(entries)) {
    test(`a page with ${entry} of an origin that is not allowed gets no response, and the call has no effect`, async (environment) => {
      const { token, item } = await newUser(environment);
      const { vault } = createPlatformClient({ baseUrl: environment.baseUrl, token, retry: false });
      expectMatch(await errorOf(vault.deleteItem(item)), { reason: "NETWORK_ERROR" });
      const { vaultId, itemId } = item;
      expectMatch(await ask(environment, "/version", { vaultId, itemId }), 1);
    });
  }
};

/** On a page without https, which is not a secure context: `crypto.randomUUID` does not exist there. */
export const insecurePage: Suite = (test) => {
  for (const [entry, createPlatformClient] of Object.entries(entries)) {
    test(`a page without https with ${entry} creates ids and Idempotency-Keys from 128 random bits`, async () => {
      const ids: string[] = [];
      const { identityGateway } = createPlatformClient({
        baseUrl: "https://platform.example",
        token: "a-token",
        retry: false,
        fetch: async (_, init) => {
          const headers = new Headers(init?.headers);
          ids.push(headers.get("X-Request-Id") ?? "", headers.get("Idempotency-Key") ?? "");
          return new Response(null, { status: 500 });
        },
      });
      for (const deviceCode of ["first", "second"])
        await errorOf(identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }));
      expectMatch("randomUUID" in crypto, false);
      for (const id of ids) expectMatch(/^\d{1,10}(?:-\d{1,10}){3}$/.test(id), true);
      expectMatch(new Set(ids).size, 4);
    });
  }
};

function inStore<Result>(
  mode: IDBTransactionMode,
  begin: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("program");
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const request = begin(opening.result.transaction("keys", mode).objectStore("keys"));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    };
  });
}
