import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import type { ExchangeMcpOauthDeviceAuthorizationResponseSchema } from "@platform-rpc/types";
import type { StartedDeviceAuthorization } from "../device/device-session.js";
import type { Clock } from "../options/clock.js";
import { ofType, requireOptions } from "../options/option-rules.js";
import { refuse } from "./refuse.js";

type Answer = MessageInitShape<typeof ExchangeMcpOauthDeviceAuthorizationResponseSchema>;

type StartTerms = Partial<Omit<StartedDeviceAuthorization, "deviceCode">>;

interface Authorization {
  state: "pending" | "approved" | "denied";
  interval: number;
  lastPollAt: number;
  readonly endsAt: number;
  consumption: { readonly key: string; readonly at: number; readonly answer: Answer } | undefined;
}

const tokenLifeSeconds = 900;

/** Creates device authorizations that follow SPEC section 4.2. */
export function createFakeDeviceAuthorizations(clock: Clock) {
  const authorizations = new Map<string, Authorization>();
  let approvals = 0;
  const of = (deviceCode = `pdc_fake-${authorizations.size}`) => {
    const found = authorizations.get(deviceCode);
    if (found === undefined)
      throw new RangeError("No device authorization has this device code. Start one with startDevice().");
    return found;
  };

  return {
    start(terms: StartTerms = {}): Required<StartedDeviceAuthorization> {
      requireOptions(terms, { intervalSeconds: ofType("number"), expiresInSeconds: ofType("number") });
      const { intervalSeconds = 5, expiresInSeconds = 600 } = terms;
      const deviceCode = `pdc_fake-${authorizations.size + 1}`;
      authorizations.set(deviceCode, {
        state: "pending",
        interval: intervalSeconds,
        lastPollAt: Number.NEGATIVE_INFINITY,
        endsAt: clock.now() + expiresInSeconds * 1000,
        consumption: undefined,
      });
      return { deviceCode, intervalSeconds, expiresInSeconds };
    },
    /** Approves or denies an authorization. @throws RangeError when it does not exist or was decided differently. */
    decide(deviceCode: string | undefined, state: "approved" | "denied"): void {
      const authorization = of(deviceCode);
      if (authorization.state !== "pending" && authorization.state !== state) {
        throw new RangeError(
          `This device authorization is already ${authorization.state}. Start another with startDevice().`,
        );
      }
      authorization.state = state;
    },
    exchange(deviceCode: string, key: string, requestId: string): Answer {
      const now = clock.now();
      const authorization = authorizations.get(deviceCode);
      if (authorization === undefined) throw refuse(Code.NotFound, "DEVICE_CODE_INVALID", { requestId });
      const { consumption, state, endsAt } = authorization;
      if (consumption !== undefined) {
        if (key !== "" && consumption.key === key && now - consumption.at < 60_000) return consumption.answer;
        throw refuse(Code.FailedPrecondition, "DEVICE_CODE_CONSUMED", { requestId });
      }
      if (state === "denied") return { status: "access_denied", message: "The user has denied." };
      if (now >= endsAt) return { status: "expired_token", message: "The code has expired." };
      if (state === "pending") return poll(authorization, now);
      approvals += 1;
      const answer = approvedAnswer(approvals, now);
      authorization.consumption = { key, at: now, answer };
      return answer;
    },
  };
}

function poll(authorization: Authorization, now: number): Answer {
  const { interval, lastPollAt, endsAt } = authorization;
  const early = now - lastPollAt < interval * 1000 - Math.max(interval * 100, 250);
  if (early) authorization.interval = Math.min(interval + 5, 60);
  else authorization.lastPollAt = now;
  return {
    status: early ? "slow_down" : "authorization_pending",
    expiresInSeconds: Math.ceil((endsAt - now) / 1000),
    intervalSeconds: authorization.interval,
    message: "The user has not decided yet.",
  };
}

function approvedAnswer(number: number, now: number): Answer {
  return {
    status: "approved",
    tokenType: "Bearer",
    accessToken: `fake-access-token-${number}`,
    expiresInSeconds: tokenLifeSeconds,
    brokerToken: {
      accessToken: `fake-broker-token-${number}`,
      tokenId: `fake-token-id-${number}`,
      tenantId: "tenant-1",
      principalId: "principal-1",
      scopes: ["vault.items:delete"],
      role: "agent",
      issuedAt: timestampFromMs(now),
      expiresAt: timestampFromMs(now + tokenLifeSeconds * 1000),
    },
    message: "The user has approved.",
  };
}
