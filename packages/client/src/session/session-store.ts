import type { WebCryptoKeyPair } from "../crypto/web-crypto.js";

/** What a store keeps between runs of a program. All of it is secret. */
export interface StoredSession {
  readonly issuer: string;
  /** The API that the tokens are for. */
  readonly resource: string;
  readonly clientId: string;
  readonly refreshToken: string;
  readonly scopes: readonly string[];
  /** The key that the refresh token is bound to. */
  readonly keyPair: WebCryptoKeyPair;
  /** The last access token, so that a program which starts again soon need not renew it. */
  readonly accessToken: string;
  /** When the access token expires, in ISO 8601. */
  readonly expiresAt: string;
}

/** Keeps one session: in a file that only its owner can read, a keyring, or IndexedDB. */
export interface SessionStore {
  /** Resolves with the stored session; undefined if there is none. */
  load(): Promise<StoredSession | undefined>;
  /** Replaces the stored session. Resolve only when it is durable: the previous refresh token stops working. */
  save(session: StoredSession): Promise<void>;
  /** Removes the stored session. */
  remove(): Promise<void>;
  /**
   * Whether private keys must be exportable, because the store writes them as text. Default: false; IndexedDB stores a key that
   * nobody can export.
   */
  readonly needsExportableKeys?: boolean | undefined;
}

/**
 * Creates a store in memory: the session ends with the program.
 *
 * @example
 * ```ts
 * import { createMemorySessionStore } from "@platform-rpc/client/session";
 *
 * const store = createMemorySessionStore();
 * console.log(await store.load());
 * // undefined
 * ```
 */
export function createMemorySessionStore(): SessionStore {
  let stored: StoredSession | undefined;
  return {
    load: async () => stored,
    async save(session) {
      stored = session;
    },
    async remove() {
      stored = undefined;
    },
  };
}
