import { ofType } from "@platform-rpc/options";
import type { DeviceAuthorizationResponse, TokenEndpointRequestOptions } from "oauth4webapi";
import { newId } from "../call/new-id.js";
import { type PollAnswer, pollUntilApproved } from "../device/poll-until-approved.js";
import { type CallRef, createError } from "../error/create-error.js";
import { signalRules } from "../options/option-rules.js";
import { printable } from "../wire/read-json.js";
import {
  type AuthorizationServer,
  longestTime,
  pageUrl,
  type RequestOptions,
  type Tokens,
} from "./authorization-server.js";
import { createSession, type Login } from "./create-session.js";
import type { DeviceLoginOptions, DeviceLoginPrompt, RenewableSession } from "./renewable-session.js";
import { detailsOf } from "./session-bounds.js";
import type { SessionOptions } from "./session-options.js";

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
 * const session = createDeviceSession({
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
 * @see RFC 8628, RFC 6749 section 6, RFC 9449 section 5
 */
export function createDeviceSession(options: SessionOptions): RenewableSession {
  return createSession<DeviceLoginOptions>(options, {
    called: "createDeviceSession",
    rules: {
      onPrompt: (value) => typeof value === "function" || "must be a function that shows the code to the person",
      onStatus: ofType("function"),
      ...signalRules,
    },
    async ask(server, login, { onPrompt, onStatus }) {
      const { call, keyPair, clock, signal } = login;
      const started = await startDeviceAuthorization(server, login);
      const { device_code: deviceCode, interval, expires_in: expiresInSeconds } = started;
      onPrompt(deviceLoginPrompt(call, started, { host: server.host, now: clock.now() }));
      return pollUntilApproved(
        clock,
        { deviceCode, intervalSeconds: interval, expiresInSeconds },
        { onStatus, signal },
        (signal) => pollDeviceAuthorization(server, deviceCode, { keyPair, signal }),
        (answer) => answer.tokens,
      );
    },
  });
}

/** Returns what to show the person, from untrusted input. @throws PlatformError unless addresses are https, or http on this machine. */
function deviceLoginPrompt(
  call: CallRef,
  { user_code, verification_uri, verification_uri_complete, expires_in }: DeviceAuthorizationResponse,
  { host, now }: { readonly host: string; readonly now: number },
): DeviceLoginPrompt {
  const page = pageUrl(verification_uri);
  const filledIn = verification_uri_complete === undefined ? undefined : pageUrl(verification_uri_complete);
  if (page === undefined || (verification_uri_complete !== undefined && filledIn === undefined)) {
    const text = `${host} sent a page for the approval that is not an https URL. Do not open it. Check the issuer.`;
    throw createError(call, "MALFORMED_RESPONSE", "internal", text);
  }
  return {
    userCode: printable(user_code),
    // As parsed: with every other character percent-encoded, and the host in ASCII.
    verificationUri: page.href,
    verificationUriComplete: filledIn?.href,
    expiresAt: new Date(now + expires_in * 1000),
  };
}

/** The answer to a poll. It has tokens once the person has approved. */
interface TokenPoll extends PollAnswer {
  readonly tokens?: Tokens;
}

/** Starts a device authorization for a key (RFC 8628 section 3.1). */
async function startDeviceAuthorization(
  server: AuthorizationServer,
  { call, scopes, bounds, keyPair, signal }: Login,
): Promise<DeviceAuthorizationResponse> {
  const { oauth, metadata, client, none, resource, http, attempt, binding } = server;
  const parameters = {
    resource,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...detailsOf(server, call, bounds),
    ...(await binding(keyPair)),
  };
  return attempt(async () => {
    const answer = await oauth.deviceAuthorizationRequest(metadata, client, none, parameters, http(signal));
    const started = await oauth.processDeviceAuthorizationResponse(metadata, client, answer);
    const { expires_in, interval = 0 } = started;
    return { ...started, expires_in: Math.min(expires_in, longestTime), interval: Math.min(interval, longestTime) };
  });
}

const expected = ["authorization_pending", "slow_down", "access_denied", "expired_token"];

/** Polls for the tokens of a device code (RFC 8628 sections 3.4 and 3.5). */
async function pollDeviceAuthorization(
  { oauth, metadata, client, none, requestTokens, isAnswer }: AuthorizationServer,
  deviceCode: string,
  request: RequestOptions,
): Promise<TokenPoll> {
  // Until the server says that the code has expired, some time is left.
  const pending = { expiresInSeconds: 1, intervalSeconds: 0, requestId: newId() };
  const make = async (options: TokenEndpointRequestOptions) => {
    const answer = await oauth.deviceCodeGrantRequest(metadata, client, none, deviceCode, options);
    return oauth.processDeviceCodeResponse(metadata, client, answer);
  };
  try {
    return { ...pending, status: "approved", tokens: await requestTokens(request, make, expected) };
  } catch (thrown) {
    if (!isAnswer(thrown, ...expected)) throw thrown;
    return { ...pending, status: thrown.error, ...(thrown.error === "expired_token" && { expiresInSeconds: 0 }) };
  }
}
