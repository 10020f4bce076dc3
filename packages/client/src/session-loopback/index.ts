import { type CallRef, causeOf, createError, describe, isError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import { signalRules } from "../options/option-rules.js";
import { redeemCode, type StartedCodeLogin, startCodeLogin, validateResponse } from "../session/code-requests.js";
import { createSession, type Login } from "../session/create-session.js";
import type { RenewableSession } from "../session/renewable-session.js";
import type { SessionOptions } from "../session/session-options.js";
import { listenForRedirect, type RedirectListener } from "./listen-for-redirect.js";

export type { RenewableSession } from "../session/renewable-session.js";
export type { SessionBounds } from "../session/session-bounds.js";
export type { SessionOptions } from "../session/session-options.js";

/** What the person who approves in a browser needs. */
export interface BrowserLoginPrompt {
  /**
   * The page on which the person approves: https, or http on this machine. Contains no secret. Open it on this machine, because the
   * browser brings the response to this program.
   */
  readonly authorizationUri: string;
  /** Until when the page can be opened: a minute, or ten. After that, the person has ten minutes from the start of the login. */
  readonly expiresAt: Date;
}

/** Options of a login with a browser. */
export interface BrowserLoginOptions {
  /** Opens the page in the browser of the person, or asks the person to open it. Called once. */
  readonly onPrompt: (prompt: BrowserLoginPrompt) => void;
  /** Ends the login with `CANCELED`. */
  readonly signal?: AbortSignal | undefined;
}

/** How long the person may take. */
const patienceMs = 600_000;

/** The waits before a code is sent again after a lost answer. For a minute, the server repeats the answer to the same key. */
const resendAfterMs = [1_000, 4_000, 15_000];

/**
 * Creates a session like `createDeviceSession`, with another login: a person approves in a browser on the same machine, without typing
 * a code. The program gets an authorization code with PKCE on a port of this machine, which is open only during the login. Needs Node.
 *
 * It rejects as `createDeviceSession` does: `UNAUTHENTICATED` without a session, or when it has ended; `ACCESS_DENIED`,
 * `EXPIRED_TOKEN` (after 10 minutes) or `CANCELED` when a login ends without approval; `NETWORK_ERROR` when the server cannot be
 * reached, and then it keeps the session. If the server does not offer this flow to the OAuth client, or no port can be opened, a login
 * rejects with the code `unimplemented` before the person is asked: use `createDeviceSession` with the same store.
 *
 * The OAuth client must be registered with the redirect URI `http://127.0.0.1/callback`, to which any port belongs.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client";
 * import { createMemorySessionStore } from "@platform-rpc/client/session";
 * import { createBrowserSession } from "@platform-rpc/client/session-loopback";
 *
 * const store = createMemorySessionStore();
 * const session = createBrowserSession({
 *   issuer: "https://accounts.example",
 *   resource: baseUrl,
 *   clientId: "my-agent",
 *   store,
 * });
 * const agent = createPlatformClient({ baseUrl, token: session.token });
 * console.log(await session.scopes()); // no session yet: call session.logIn
 * // undefined
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 * @see RFC 6749 section 4.1, RFC 7636, RFC 8252 section 7.3, RFC 9126, RFC 9207
 */
export function createBrowserSession(options: SessionOptions): RenewableSession<BrowserLoginOptions> {
  return createSession<BrowserLoginOptions>(options, {
    called: "createBrowserSession",
    rules: {
      onPrompt: (value) => typeof value === "function" || "must be a function that opens the page for the person",
      ...signalRules,
    },
    async ask(server, login, { onPrompt }) {
      const { call, clock, keyPair, signal } = login;
      const listener = await listen(call);
      const expired = new AbortController();
      const cancelTimer = clock.after(patienceMs, () => expired.abort(noApproval(call)));
      const endsAt = clock.now() + patienceMs;
      let started: StartedCodeLogin;
      let response: URLSearchParams;
      try {
        started = await startCodeLogin(server, { ...login, redirectUri: listener.redirectUri });
        const { authorizationUri, expiresInSeconds, state } = started;
        // A request that was not pushed has nothing to abort.
        signal.throwIfAborted();
        onPrompt({ authorizationUri, expiresAt: new Date(Math.min(endsAt, clock.now() + expiresInSeconds * 1000)) });
        response = await listener.response(state, AbortSignal.any([signal, expired.signal]));
      } finally {
        cancelTimer();
        listener.close();
      }
      const validated = await validateResponse(server, started, response);
      return repeatLost(login, resendAfterMs, () => redeemCode(server, started, validated, { keyPair, signal }));
    },
  });
}

function listen(call: CallRef): Promise<RedirectListener> {
  return listenForRedirect().catch((error: unknown) => {
    const text = `This program cannot listen on 127.0.0.1 (${describe(error)}). Use createDeviceSession.`;
    throw createError(call, undefined, "unimplemented", text, { cause: causeOf(error) });
  });
}

function noApproval(call: CallRef): PlatformError {
  const text = "Nobody approved in the browser within 10 minutes. Log in again.";
  return createError(call, "EXPIRED_TOKEN", "failed_precondition", text);
}

/** Makes a request again if its answer was lost, after each of these waits. */
async function repeatLost<Result>(
  login: Pick<Login, "clock" | "signal">,
  [waitMs, ...later]: readonly number[],
  make: () => Promise<Result>,
): Promise<Result> {
  try {
    return await make();
  } catch (error) {
    if (waitMs === undefined || !isError(error) || !error.retryable) throw error;
    await login.clock.sleep(waitMs, login.signal);
    return repeatLost(login, later, make);
  }
}
