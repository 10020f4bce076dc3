import { pollUntilApproved } from "../device/poll-until-approved.js";
import { ofType, signalRules } from "../options/option-rules.js";
import { createSession } from "./create-session.js";
import { deviceLoginPrompt } from "./device-login-prompt.js";
import { pollDeviceAuthorization, startDeviceAuthorization } from "./device-requests.js";
import type { DeviceLoginOptions, RenewableSession } from "./renewable-session.js";
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
    rules: {
      onPrompt: (value) => typeof value === "function" || "must be a function that shows the code to the person",
      onStatus: ofType("function"),
      ...signalRules,
    },
    async ask(server, { call, scopes, keyPair, clock, signal }, { onPrompt, onStatus }) {
      const started = await startDeviceAuthorization(server, scopes, { keyPair, signal });
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
