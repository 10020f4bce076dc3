import type { RenewableSession, SessionStore, StoredSession } from "@platform-rpc/client/session";
import { findBrokerTokens } from "./discovery.js";
import { createSession, type OpenSessionOptions } from "./session.js";
import { openSessionStore } from "./session-store.js";

/** The login of a program, for requests to the broker. */
export interface BrokerSession extends Pick<RenewableSession, "token"> {
  /** Resolves with the key to which the tokens are bound (RFC 9449); undefined without a login. */
  keyPair(): Promise<StoredSession["keyPair"] | undefined>;
}

/**
 * Opens the login in a file for requests to the broker. Its tokens are renewed without asking the person, as long as the approval lasts.
 *
 * @throws ProgramError if the authorization server does not say what broker tokens are for
 */
export async function openBrokerSession({ path, ...options }: OpenSessionOptions): Promise<BrokerSession> {
  const { audience } = await findBrokerTokens(options.issuer);
  const file = openSessionStore(path);
  const store = brokerStore(file, { resource: options.resource, audience });
  const { token } = createSession({ ...options, resource: audience, store });
  return { token, keyPair: async () => (await store.load())?.keyPair };
}

/**
 * Returns the store of a session with the login of another one, whose access tokens are for the broker. They share the refresh token: a
 * renewal by one of them replaces it for both. The broker token stays in memory.
 */
function brokerStore(
  file: SessionStore,
  { resource, audience }: { readonly resource: string; readonly audience: string },
): SessionStore {
  let own = { accessToken: "", expiresAt: new Date(0).toISOString() };
  let renewed: string | undefined;
  return {
    ...file,
    async load() {
      const stored = await file.load();
      if (stored?.resource !== resource) return undefined;
      renewed = stored.refreshToken;
      return { ...stored, ...own, resource: audience };
    },
    async save({ refreshToken, accessToken, expiresAt }) {
      own = { accessToken, expiresAt };
      const stored = await file.load();
      // Another one was stored meanwhile: by the same renewal, or by a new login.
      if (stored?.refreshToken === renewed && stored !== undefined) await file.save({ ...stored, refreshToken });
    },
  };
}
