import { callSafely } from "../call/hooks.js";
import { newId } from "../call/new-id.js";
import { type Clock, systemClock } from "../clock.js";
import { subtle } from "../crypto/web-crypto.js";
import type { DeviceAuthorizationStatus } from "../device/device-session.js";
import { pollUntilApproved } from "../device/poll-until-approved.js";
import { type CallRef, createError } from "../error/create-error.js";
import type { AccessToken, TokenRequest } from "../token/access-token.js";
import { SecretToken } from "../token/secret-token.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  connectAuthorizationServer,
  type Tokens,
} from "./authorization-server.js";
import type { SessionStore, StoredSession } from "./session-store.js";

/** Options of a session. */
export interface DeviceSessionOptions extends AuthorizationServerOptions {
  /** Where the session is kept between runs of the program. */
  readonly store: SessionStore;
  /** The scopes to ask for. Default: every scope that the OAuth client may have. */
  readonly scopes?: readonly string[];
  /** Called when the session changes. An error that it throws is ignored. */
  readonly onEvent?: ((event: DeviceSessionEvent) => void) | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * A change of a session:
 *
 * - `signed in`: a person has approved, and the session is stored.
 * - `renewed`: there is a new access token.
 * - `signed out`: the program ended the session.
 * - `ended`: the server did, because the session expired or somebody revoked it. Log in again.
 */
export interface DeviceSessionEvent {
  readonly kind: "signed in" | "renewed" | "signed out" | "ended";
  /** The granted scopes; empty after the end. */
  readonly scopes: readonly string[];
}

/** What the person who approves needs to see. */
export interface LoginPrompt {
  /** Formatted for display: XXXX-XXXX. */
  readonly userCode: string;
  /** The page on which the person enters the code. */
  readonly verificationUri: string;
  /** The same page with the code filled in, for a link or a QR code. */
  readonly verificationUriComplete: string | undefined;
  readonly expiresAt: Date;
}

/** Options of a login. */
export interface LoginOptions {
  /** Shows the code to the person. Called once, before the first poll. */
  readonly onPrompt: (prompt: LoginPrompt) => void;
  /** Called after each poll that did not end the wait. */
  readonly onStatus?: ((status: DeviceAuthorizationStatus) => void) | undefined;
  /** Ends the login with `CANCELED`. */
  readonly signal?: AbortSignal | undefined;
}

/** An access token of a session. */
export interface CurrentToken extends AccessToken {
  readonly accessToken: SecretToken;
  readonly expiresAt: Date;
}

/** A session of a program that acts for a person. */
export interface RenewableSession {
  /** For `createPlatformClient({ token: session.token })`. Renews the access token before it expires, once for all callers. */
  readonly token: (request?: Partial<TokenRequest>) => Promise<CurrentToken>;
  /** Asks a person to approve this program (RFC 8628), and stores the session. Replaces an existing one. */
  logIn(options: LoginOptions): Promise<void>;
  /** Ends the session on the server, and removes it from the store, also if the server cannot be reached. */
  signOut(): Promise<void>;
  /** Resolves with the granted scopes, or undefined without a session. */
  scopes(): Promise<readonly string[] | undefined>;
}

/** How long before its end an access token is renewed: as long as a client does. */
const renewBeforeMs = 120_000;

/**
 * Creates a session that logs in as a device (RFC 8628) and renews its tokens without asking again. Its refresh token is bound to a
 * key of the session (RFC 9449), so a copy of it alone is useless.
 *
 * It rejects with a `PlatformError`: `UNAUTHENTICATED` without a session, or when it has ended; `ACCESS_DENIED`, `EXPIRED_TOKEN` or
 * `CANCELED` when a login ends without approval; `NETWORK_ERROR` when the server cannot be reached, and then it keeps the session.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client";
 * import { createDeviceSession, createMemorySessionStore } from "@platform-rpc/client/session";
 *
 * const store = createMemorySessionStore();
 * const session = createDeviceSession({ issuer: "https://accounts.example", clientId: "my-agent", store });
 * const agent = createPlatformClient({ baseUrl, token: session.token });
 * console.log(await session.scopes()); // no session yet: call session.logIn
 * // undefined
 * ```
 *
 * @see RFC 8628, RFC 6749 section 6, RFC 9449 section 5
 */
export function createDeviceSession(options: DeviceSessionOptions): RenewableSession {
  const { issuer, clientId, store, scopes: requested = [], onEvent, clock = systemClock } = options;
  let server: Promise<AuthorizationServer> | undefined;
  let current: CurrentToken | undefined;
  let renewal: Promise<CurrentToken> | undefined;

  const newCall = (): CallRef => ({ info: { requestId: newId() } });
  const connect = (call: CallRef): Promise<AuthorizationServer> => {
    // A failed connection is not kept: the next call tries again.
    server ??= connectAuthorizationServer(options, call).catch((thrown: unknown) => {
      server = undefined;
      throw thrown;
    });
    return server;
  };
  const emit = (kind: DeviceSessionEvent["kind"], scopes: readonly string[] = []) =>
    callSafely({ onEvent }, "onEvent", [{ kind, scopes }]);

  const accept = async (
    { accessToken, expiresInSeconds, ...tokens }: Tokens,
    before: Pick<StoredSession, "refreshToken" | "scopes" | "keyPair">,
  ) => {
    const { refreshToken = before.refreshToken, scopes = before.scopes } = tokens;
    const expiresAt = new Date(clock.now() + expiresInSeconds * 1000).toISOString();
    const session: StoredSession = {
      issuer,
      clientId,
      refreshToken,
      scopes,
      keyPair: before.keyPair,
      accessToken,
      expiresAt,
    };
    // Before anything uses the new access token: without the new refresh token, the session would be lost.
    await store.save(session);
    current = tokenOf(session);
    return { session, token: current };
  };

  const loadOwn = async (): Promise<StoredSession | undefined> => {
    const stored = await store.load();
    return stored?.issuer === issuer && stored.clientId === clientId ? stored : undefined;
  };

  const loadToken = async (): Promise<CurrentToken | undefined> => {
    const stored = await loadOwn();
    return stored && tokenOf(stored);
  };

  const renew = async (signal: AbortSignal | undefined): Promise<CurrentToken> => {
    const call = newCall();
    const stored = await loadOwn();
    if (stored === undefined) throw noSession(call, "There is no session. Log in first.");
    const tokens = await (await connect(call)).refresh(stored.refreshToken, { keyPair: stored.keyPair, signal });
    if (tokens === undefined) {
      current = undefined;
      // Another process with the same store may have logged in again meanwhile.
      if ((await loadOwn())?.refreshToken === stored.refreshToken) await store.remove();
      emit("ended");
      throw noSession(call, "The session has ended: it expired, or somebody ended it. Log in again.");
    }
    const { token, session } = await accept(tokens, stored);
    emit("renewed", session.scopes);
    return token;
  };

  return {
    async token({ signal, reason = "first" } = {}) {
      current ??= await loadToken();
      const fresh = current !== undefined && current.expiresAt.getTime() - clock.now() > renewBeforeMs;
      if (current !== undefined && fresh && reason !== "rejected") return current;
      renewal ??= renew(signal).finally(() => {
        renewal = undefined;
      });
      return renewal;
    },

    async logIn({ onPrompt, onStatus, signal }) {
      const call = newCall();
      const connected = await connect(call);
      const keyPair = await subtle().generateKey(
        { name: "ECDSA", namedCurve: "P-256" },
        store.needsExportableKeys === true,
        ["sign", "verify"],
      );
      if (!("privateKey" in keyPair)) throw new TypeError("logIn failed: WebCrypto returned no key pair.");
      const started = await connected.start(requested, { keyPair, signal });
      const { device_code: deviceCode, user_code: userCode, interval, expires_in: expiresInSeconds } = started;
      onPrompt({
        userCode,
        verificationUri: started.verification_uri,
        verificationUriComplete: started.verification_uri_complete,
        expiresAt: new Date(clock.now() + expiresInSeconds * 1000),
      });
      const tokens = await pollUntilApproved(
        clock,
        { deviceCode, intervalSeconds: interval, expiresInSeconds },
        { onStatus, signal },
        (signal) => connected.poll(deviceCode, { keyPair, signal }),
        (answer) => answer.tokens,
      );
      const { session } = await accept(tokens, { refreshToken: "", scopes: requested, keyPair });
      emit("signed in", session.scopes);
    },

    async signOut() {
      const stored = await loadOwn();
      current = undefined;
      if (stored === undefined) return;
      try {
        await (await connect(newCall())).revoke(stored.refreshToken);
      } finally {
        await store.remove();
        emit("signed out");
      }
    },

    async scopes() {
      return (await loadOwn())?.scopes;
    },
  };
}

function tokenOf({ accessToken, expiresAt }: StoredSession): CurrentToken {
  const expiry = new Date(expiresAt);
  return { accessToken: new SecretToken(accessToken, expiry), expiresAt: expiry };
}

function noSession(call: CallRef, text: string) {
  return createError(call, "UNAUTHENTICATED", "unauthenticated", text);
}
