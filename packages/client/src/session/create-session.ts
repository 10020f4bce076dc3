import { type OptionRules, requireOptions } from "@platform-rpc/options";
import { withDeadline } from "../call/step.js";
import { subtle, type WebCryptoKeyPair } from "../crypto/web-crypto.js";
import { type CallRef, createError } from "../error/create-error.js";
import { type Clock, systemClock } from "../options/clock.js";
import { callSafely } from "../options/hooks.js";
import { signalRules } from "../options/option-rules.js";
import { SecretToken } from "../options/token.js";
import { type AuthorizationServer, newCall, type Tokens } from "./authorization-server.js";
import { connectAuthorizationServer } from "./connect-authorization-server.js";
import type { CurrentToken, RenewableSession, SessionEvent } from "./renewable-session.js";
import type { SessionBounds } from "./session-bounds.js";
import { type AnyLoginOptions, type SessionOptions, sessionRules } from "./session-options.js";
import type { StoredSession } from "./session-store.js";

/** How a person approves a session. */
export interface Flow<LoginOptions> {
  /** The name of the function that creates the session, for messages. */
  readonly called: string;
  readonly rules: OptionRules<LoginOptions>;
  /** Asks a person, and resolves with the tokens when they have approved. Ends by the signal of the login. */
  readonly ask: (server: AuthorizationServer, login: Login, options: LoginOptions) => Promise<Tokens>;
}

export interface Login {
  readonly call: CallRef;
  /** The scopes to ask for; empty for the default of the server. */
  readonly scopes: readonly string[];
  /** The limits to ask for. Undefined: none. */
  readonly bounds: SessionBounds | undefined;
  /** The key to which the tokens are bound. Undefined: they are not. */
  readonly keyPair: WebCryptoKeyPair | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long before it expires an access token is renewed. A client renews its token at the same time. */
const renewBeforeMs = 120_000;

/**
 * Creates a session that logs in by a flow, and renews its tokens without asking again.
 *
 * @throws TypeError that names each invalid option and what is expected.
 * @see RFC 6749 section 6, RFC 9449 section 5
 */
export function createSession<LoginOptions extends AnyLoginOptions>(
  options: SessionOptions,
  { called, rules, ask }: Flow<LoginOptions>,
): RenewableSession<LoginOptions> {
  requireOptions(called, options, sessionRules);
  const { issuer, resource, clientId, store, scopes: requested = [], bounds, onEvent, clock = systemClock } = options;
  const keyOf = ({ keyPair }: Pick<StoredSession, "keyPair">) => (options.dpop === false ? undefined : keyPair);
  let server: Promise<AuthorizationServer> | undefined;
  let current: CurrentToken | undefined;
  let renewal: Promise<CurrentToken> | undefined;
  let lastChange: Promise<unknown> = Promise.resolve();

  /** Runs a change of the stored session after the changes before it, so that none overwrites another. */
  const inTurn = <Result>(change: () => Promise<Result>): Promise<Result> => {
    const changed = lastChange.then(change);
    lastChange = changed.catch(() => undefined);
    return changed;
  };
  const connect = (): Promise<AuthorizationServer> => {
    // A failed connection is not kept: the next call tries again.
    server ??= connectAuthorizationServer(options).catch((thrown: unknown) => {
      server = undefined;
      throw thrown;
    });
    return server;
  };
  const emit = (kind: SessionEvent["kind"], scopes: readonly string[] = []) =>
    callSafely({ onEvent }, "onEvent", [{ kind, scopes }]);
  const isFresh = ({ expiresAt }: CurrentToken) => expiresAt.getTime() - clock.now() > renewBeforeMs;

  const accept = async (
    { accessToken, expiresInSeconds, ...tokens }: Tokens,
    before: Pick<StoredSession, "refreshToken" | "scopes" | "keyPair">,
  ) => {
    const { refreshToken = before.refreshToken, scopes = before.scopes } = tokens;
    const { keyPair } = before;
    const expiresAt = new Date(clock.now() + expiresInSeconds * 1000).toISOString();
    const session = { issuer, resource, clientId, refreshToken, scopes, keyPair, accessToken, expiresAt };
    // Before anything uses the new access token: without the new refresh token, the session would be lost.
    await store.save(session);
    current = tokenOf(session);
    return { session, token: current };
  };

  const loadOwn = async (): Promise<StoredSession | undefined> => {
    const stored = await store.load();
    const isOwn = stored?.issuer === issuer && stored.resource === resource && stored.clientId === clientId;
    return isOwn ? stored : undefined;
  };

  const renew = async (): Promise<CurrentToken> => {
    const stored = await loadOwn();
    const known = current?.accessToken.reveal();
    current = stored && tokenOf(stored);
    if (stored === undefined || current === undefined) throw noSession(issuer, "There is no session. Log in first.");
    // Another process with the same store has renewed it, or logged in again.
    if (stored.accessToken !== known && isFresh(current)) return current;
    const tokens = await (await connect()).refresh(stored.refreshToken, { keyPair: keyOf(stored) });
    if (tokens === undefined) {
      current = undefined;
      // Another process with the same store may have logged in again meanwhile.
      if ((await loadOwn())?.refreshToken === stored.refreshToken) await store.remove();
      emit("ended");
      throw noSession(issuer, "The session has ended: it expired or was revoked. Log in again.");
    }
    const { token, session } = await accept(tokens, stored);
    emit("renewed", session.scopes);
    return token;
  };

  return {
    async token({ signal, reason = "first" } = {}) {
      requireOptions("token", { signal }, signalRules);
      if (current === undefined) {
        const stored = await loadOwn();
        current ??= stored && tokenOf(stored);
      }
      if (current !== undefined && isFresh(current) && reason !== "rejected") return current;
      // The signal ends the wait of this caller. The renewal continues for the others.
      return withDeadline({ call: newCall(issuer), clock, ms: Infinity, signal }, () => {
        renewal ??= inTurn(renew).finally(() => {
          renewal = undefined;
        });
        return renewal;
      });
    },

    async logIn(login) {
      requireOptions("logIn", login, rules);
      const keyPair = await createKeyPair(store.needsExportableKeys === true);
      const call = newCall(issuer);
      const tokens = await withDeadline({ call, clock, ms: Infinity, signal: login.signal }, async (signal) =>
        ask(await connect(), { call, scopes: requested, bounds, keyPair: keyOf({ keyPair }), clock, signal }, login),
      );
      const { refreshToken } = tokens;
      if (refreshToken === undefined) {
        const text = `${new URL(issuer).host} gave no refresh token, so the session could not be renewed. Ask an administrator to check the registration of the OAuth client ${clientId}.`;
        throw createError(call, "UNAUTHENTICATED", "unauthenticated", text);
      }
      const { session } = await inTurn(() => accept(tokens, { refreshToken, scopes: requested, keyPair }));
      emit("signed in", session.scopes);
    },

    signOut: () =>
      inTurn(async () => {
        const stored = await loadOwn();
        current = undefined;
        if (stored === undefined) return;
        try {
          await (await connect()).revoke(stored.refreshToken);
        } finally {
          await store.remove();
          emit("signed out");
        }
      }),

    async scopes() {
      return (await loadOwn())?.scopes;
    },
  };
}

async function createKeyPair(extractable: boolean): Promise<WebCryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keyPair = await subtle().generateKey(algorithm, extractable, ["sign", "verify"]);
  if (!("privateKey" in keyPair)) throw new TypeError("logIn failed: WebCrypto returned no key pair.");
  return keyPair;
}

function tokenOf({ accessToken, expiresAt }: StoredSession): CurrentToken {
  const expiry = new Date(expiresAt);
  return { accessToken: new SecretToken(accessToken, expiry), expiresAt: expiry };
}

function noSession(issuer: string, text: string) {
  return createError(newCall(issuer), "UNAUTHENTICATED", "unauthenticated", text);
}
