import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { largestClockSkew } from "./clock-skew.js";
import { type Decision, unchanged, type Write } from "./decision.js";
import {
  type DeviceAuthorization,
  type DeviceCodeSnapshot,
  type ExchangeInput,
  type ExchangeOutcome,
  expired,
} from "./device-authorization.js";
import { redeem, replay } from "./redeem-device-code.js";
import { revocationOf } from "./revoke-refresh-family.js";
import { defineRule } from "./rule.js";

const intervalStepSeconds = 5;
const longestIntervalSeconds = 60;

export const exchangeDeviceCode = defineRule("exchangeDeviceCode", decideExchange);

/**
 * Decides the device access token request of RFC 8628 section 3.4. The order of the checks is part of the contract: owner,
 * consumed, denied or burned, expired, approved, pending. Polling is throttled in the pending state only.
 */
export function decideExchange(
  snapshot: DeviceCodeSnapshot,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): Decision<ExchangeOutcome> {
  const { authorization } = snapshot;
  if (authorization === undefined) return unchanged({ ok: false, reason: "DEVICE_CODE_INVALID" });
  const owned = authorization.tenantId === actor.tenantId && authorization.oauthClientId === actor.oauthClientId;
  if (!owned) return rejectForeign(authorization, snapshot, actor, now);

  switch (authorization.state) {
    case "consumed":
      return unchanged(replay(authorization, snapshot, input, actor, now));
    case "denied":
    case "burned":
      return unchanged({ ok: true, status: "access_denied", because: authorization.state });
    case "approved":
      return expired(authorization, now)
        ? unchanged({ ok: true, status: "expired_token" })
        : redeem(authorization, snapshot, input, actor, now);
    case "pending":
      return expired(authorization, now) ? unchanged({ ok: true, status: "expired_token" }) : poll(authorization, now);
  }
}

/**
 * Rejects a caller who does not own the code. If the code is consumed, its tokens may have leaked too: revokes the grant and its refresh
 * family in the same commit.
 */
function rejectForeign(
  authorization: DeviceAuthorization,
  { grantRevoked, refreshFamily }: DeviceCodeSnapshot,
  actor: Actor,
  now: number,
): Decision<ExchangeOutcome> {
  const outcome = { ok: false, reason: "DEVICE_CODE_INVALID" } as const;
  if (authorization.consumption === undefined) return unchanged(outcome);
  const { grantId } = authorization.consumption;
  const why = "code reused by a foreign caller";
  const ofGrant: readonly Write[] = [
    { kind: "revocation", subjectId: grantId, at: now },
    audit(actor, now, {
      subjectTenantId: authorization.tenantId,
      subject: `grant:${grantId}`,
      event: `revoked: ${why}`,
    }),
  ];
  const ofFamily = revocationOf({ record: refreshFamily }, why, actor, now);
  return { outcome, writes: [...(grantRevoked ? [] : ofGrant), ...ofFamily] };
}

function poll(authorization: DeviceAuthorization, now: number): Decision<ExchangeOutcome> {
  const { intervalSeconds, lastPollAt } = authorization;
  const tolerance = Math.max(intervalSeconds * 100, 250);
  const sinceLastPoll = lastPollAt === undefined ? Number.POSITIVE_INFINITY : now - lastPollAt;
  const early = sinceLastPoll > -largestClockSkew && sinceLastPoll < intervalSeconds * 1000 - tolerance;
  // A poll that came too early does not count as the last accepted one.
  const polled: DeviceAuthorization = early
    ? { ...authorization, intervalSeconds: Math.min(intervalSeconds + intervalStepSeconds, longestIntervalSeconds) }
    : { ...authorization, lastPollAt: now };
  const writes: Write[] = [
    { kind: "deviceAuthorization", authorization: { ...polled, revision: authorization.revision + 1 } },
  ];
  return {
    outcome: {
      ok: true,
      status: early ? "slow_down" : "authorization_pending",
      expiresInSeconds: Math.ceil((authorization.expiresAt - now) / 1000),
      intervalSeconds: polled.intervalSeconds,
    },
    writes,
  };
}
