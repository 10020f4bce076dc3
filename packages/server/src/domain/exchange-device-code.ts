import type { Actor } from "./model/actor.js";
import { largestClockSkew } from "./model/clock-skew.js";
import { type Decision, unchanged } from "./model/decision.js";
import {
  changed,
  type DeviceAuthorization,
  deviceAuthorizations,
  type ExchangeInput,
  type ExchangeOutcome,
  expired,
} from "./model/device-authorization.js";
import { findGrantOf } from "./model/grant.js";
import type { Records } from "./model/record.js";
import { redeem, replay } from "./redeem-device-code.js";
import { revocationWithFamily } from "./revoke-access.js";
import { defineRule } from "./rule.js";

const intervalStepSeconds = 5;
const longestIntervalSeconds = 60;

export const exchangeDeviceCode = defineRule(decideExchange);

/**
 * Decides the device access token request of RFC 8628 section 3.4. The order of the checks is part of the contract: owner,
 * consumed, denied or burned, expired, approved, pending. Polling is throttled in the pending state only.
 */
export function decideExchange(
  records: Records,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): Decision<ExchangeOutcome> {
  const authorization = deviceAuthorizations.find(records, actor.tenantId, input.deviceCodeHash);
  if (authorization?.oauthClientId !== actor.oauthClientId) {
    return rejectForeign(records, input.deviceCodeHash, actor, now);
  }

  switch (authorization.state) {
    case "consumed":
      return unchanged(replay(records, authorization, input, actor, now));
    case "denied":
    case "burned":
      return unchanged({ ok: true, status: "access_denied", because: authorization.state });
    case "approved":
      return expired(authorization, now)
        ? unchanged({ ok: true, status: "expired_token" })
        : redeem(records, authorization, input, actor, now);
    case "pending":
      return expired(authorization, now)
        ? unchanged({ ok: true, status: "expired_token" })
        : poll(records, authorization, now);
  }
}

/**
 * Rejects a code that is unknown, or that another tenant or OAuth client started. If it is consumed, its tokens may have leaked too:
 * revokes the grant and its refresh family in the same commit.
 */
function rejectForeign(records: Records, deviceCodeHash: string, actor: Actor, now: number): Decision<ExchangeOutcome> {
  const grant = findGrantOf(records, deviceCodeHash);
  const why = "code reused by a foreign caller";
  return {
    outcome: { ok: false, reason: "DEVICE_CODE_INVALID" },
    writes: grant === undefined ? [] : revocationWithFamily(records, grant, why, actor, now),
  };
}

function poll(records: Records, authorization: DeviceAuthorization, now: number): Decision<ExchangeOutcome> {
  const { intervalSeconds, lastPollAt } = authorization;
  const tolerance = Math.max(intervalSeconds * 100, 250);
  const sinceLastPoll = lastPollAt === undefined ? Number.POSITIVE_INFINITY : now - lastPollAt;
  const early = sinceLastPoll > -largestClockSkew && sinceLastPoll < intervalSeconds * 1000 - tolerance;
  // A poll that came too early does not count as the last accepted one.
  const polled = changed(
    authorization,
    early
      ? { intervalSeconds: Math.min(intervalSeconds + intervalStepSeconds, longestIntervalSeconds) }
      : { lastPollAt: now },
  );
  return {
    outcome: {
      ok: true,
      status: early ? "slow_down" : "authorization_pending",
      expiresInSeconds: Math.ceil((authorization.expiresAt - now) / 1000),
      intervalSeconds: polled.intervalSeconds,
    },
    writes: [deviceAuthorizations.put(records, polled, now)],
  };
}
