import { invalidOptions, must, type OptionRules, ofType } from "@platform-rpc/options";
import { newId } from "../call/new-id.js";
import { rejectInvalid } from "../error/create-error.js";
import { systemClock } from "../options/clock.js";
import { headerValue, signalRules } from "../options/option-rules.js";
import { SecretToken } from "../options/token.js";
import type {
  DeviceLoginClient,
  DeviceSession,
  ExchangeAnswer,
  StartedDeviceAuthorization,
  WaitOptions,
} from "./device-session.js";
import { pollUntilApproved } from "./poll-until-approved.js";

const waitRules: OptionRules<WaitOptions> = {
  ...signalRules,
  onStatus: ofType("function"),
  pollNow: ofType("boolean"),
  idempotencyKey: headerValue,
};

/**
 * Polls the exchange of a device code until the user has approved (RFC 8628 section 3.5). Waits one interval first, polls less
 * often when the server asks for it, backs off while the network is down, and polls a last time just before the code expires.
 * Each poll is a separate call of the client.
 *
 * Rejects with a `PlatformError`: `ACCESS_DENIED`, `EXPIRED_TOKEN`, `CANCELED`, or the error of an exchange.
 *
 * @example
 * ```ts
 * import { createPlatformClient, waitForDeviceAuthorization } from "@platform-rpc/client";
 *
 * const session = await waitForDeviceAuthorization(client, deviceCode, { signal });
 * const agent = createPlatformClient({ baseUrl, token: session.token });
 * console.log(`${session.token}`, session.brokerToken.role);
 * // [redacted] agent
 * ```
 */
export async function waitForDeviceAuthorization<BrokerToken extends { readonly accessToken: string }>(
  client: DeviceLoginClient<BrokerToken>,
  code: string | StartedDeviceAuthorization,
  options?: WaitOptions,
): Promise<DeviceSession<BrokerToken>> {
  const started: StartedDeviceAuthorization = typeof code === "string" ? { deviceCode: code } : { ...code };
  const { deviceCode, intervalSeconds, expiresInSeconds } = started;
  // Programs in JavaScript may pass null.
  const given = options ?? {};
  rejectInvalid({ info: { requestId: newId() } }, [
    ...invalidOptions(
      { client, deviceCode, intervalSeconds, expiresInSeconds },
      {
        client: must("be a client of createPlatformClient", (value) => !!Object(value).identityGateway),
        deviceCode: ofType("string"),
        intervalSeconds: ofType("number"),
        expiresInSeconds: ofType("number"),
      },
    ),
    ...invalidOptions(given, waitRules),
  ]);
  const { identityGateway, clock = systemClock } = client;
  const idempotencyKey = given.idempotencyKey || newId();
  // Awaited, so that the stack of an error contains the caller.
  return await pollUntilApproved(
    clock,
    started,
    given,
    (signal) =>
      identityGateway.exchangeMcpOauthDeviceAuthorization(
        { deviceCode: started.deviceCode },
        { idempotencyKey, retry: false, signal },
      ),
    (answer) => answer.brokerToken && sessionOf(answer, answer.brokerToken, clock.now()),
  );
}

function sessionOf<BrokerToken extends { readonly accessToken: string }>(
  { accessToken, expiresInSeconds, requestId }: ExchangeAnswer<BrokerToken>,
  brokerToken: BrokerToken,
  now: number,
): DeviceSession<BrokerToken> {
  const expiresAt = new Date(now + expiresInSeconds * 1000);
  return {
    token: new SecretToken(accessToken, expiresAt),
    expiresAt,
    brokerToken: { ...brokerToken, accessToken: new SecretToken(brokerToken.accessToken) },
    requestId,
  };
}
