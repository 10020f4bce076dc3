import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { largestClockSkew } from "./clock-agreement.js";
import { type Decision, unchanged, type Write } from "./decision.js";
import { type DeviceAuthorization, type DeviceCodeSnapshot, expired } from "./device-authorization.js";
import type { Grant } from "./grant.js";
import type { RequiredScopes } from "./grantable-scopes.js";
import { redeem, replay } from "./redeem-device-code.js";
import { revocationOf } from "./revoke-refresh-family.js";
import { defineRule } from "./rule.js";

const intervalStepSeconds = 5;
const longestIntervalSeconds = 60;

/** The input of the exchange. Ids are generated before the decision, because rules are deterministic. */
export interface ExchangeInput {
  /** The hash of the Idempotency-Key; undefined when the call has none. */
  readonly idempotencyKeyHash: string | undefined;
  /** Ids for the grant, if this call creates one. */
  readonly grantId: string;
  readonly accessTokenId: string;
  readonly brokerTokenId: string;
  /** The `kid` of the current signing key. */
  readonly keyId: string;
  /** The scopes that each operation requires, by operation. Only scopes of the OAuth client's allowed operations are ever granted. */
  readonly requiredScopes: RequiredScopes;
  /** The RFC 7638 thumbprint of the key to which the tokens of a code without a key are bound. Default: none. */
  readonly proofKeyId?: string;
}

/** The status of the device authorization (if approved, with the grant of the tokens), or why the exchange failed. */
export type ExchangeOutcome =
  | { readonly ok: true; readonly status: "approved"; readonly grant: Grant }
  | {
      readonly ok: true;
      readonly status: "authorization_pending" | "slow_down";
      readonly expiresInSeconds: number;
      readonly intervalSeconds: number;
    }
  | {
      readonly ok: true;
      readonly status: "access_denied";
      /**
       * - `denied`: the user denied the request.
       * - `no_scopes`: the user approved, but none of the scopes may be granted. The code is burned.
       * - `burned`: the code was burned before, because of `no_scopes` or because the approver was inactive.
       */
      readonly because: "denied" | "no_scopes" | "burned";
    }
  | { readonly ok: true; readonly status: "expired_token" }
  | { readonly ok: false; readonly reason: "DEVICE_CODE_INVALID" | "DEVICE_CODE_CONSUMED" | "PRINCIPAL_DISABLED" };

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
