import type { OauthClient } from "./access.js";
import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { largestClockSkew } from "./clock-agreement.js";
import { type Decision, unchanged, type Write } from "./decision.js";
import { type DeviceAuthorization, type DeviceCodeSnapshot, expired } from "./device-authorization.js";
import type { Grant } from "./grant.js";
import { redeem, replay } from "./redeem-device-code.js";

const intervalStepSeconds = 5;
const longestIntervalSeconds = 60;

/** What the exchange brings with it, drawn before the decision because rules draw nothing themselves. */
export interface ExchangeInput {
  /** The hash of the Idempotency-Key; undefined when the call has none. */
  readonly idempotencyKeyHash: string | undefined;
  /** Ids for the grant that this call makes, should it make one. */
  readonly grantId: string;
  readonly accessTokenId: string;
  readonly brokerTokenId: string;
  /** The key that signs now. */
  readonly keyId: string;
  /** The scopes that the operations of an OAuth client's allowlist require: nothing beyond them is ever granted. */
  readonly scopesOpenTo: (oauthClient: OauthClient) => readonly string[];
}

/** How the device authorization stands; approved, with the grant that tokens are made of. */
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
       * - `denied`: the user said no.
       * - `no_scopes`: the user said yes, and nothing of it may be granted. The code is burned with this answer.
       * - `burned`: the code was burned before, for that or because the approver was not active.
       */
      readonly because: "denied" | "no_scopes" | "burned";
    }
  | { readonly ok: true; readonly status: "expired_token" }
  | { readonly ok: false; readonly reason: "DEVICE_CODE_INVALID" | "DEVICE_CODE_CONSUMED" | "PRINCIPAL_DISABLED" };

/**
 * The device access token request of RFC 8628 section 3.4. The order of the questions is part of the contract: owner,
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
  if (!owned) return refuseForeign(authorization, snapshot.grantRevoked, actor, now);

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

/** A consumed code in the wrong hands has leaked, and with it perhaps its tokens: the grant is revoked. */
function refuseForeign(
  authorization: DeviceAuthorization,
  grantRevoked: boolean,
  actor: Actor,
  now: number,
): Decision<ExchangeOutcome> {
  const outcome = { ok: false, reason: "DEVICE_CODE_INVALID" } as const;
  if (authorization.consumption === undefined || grantRevoked) return unchanged(outcome);
  const { grantId } = authorization.consumption;
  return {
    outcome,
    writes: [
      { kind: "revocation", subjectId: grantId, at: now },
      audit(actor, now, {
        subjectTenantId: authorization.tenantId,
        subject: `grant:${grantId}`,
        event: "revoked: code reused by a foreign caller",
      }),
    ],
  };
}

function poll(authorization: DeviceAuthorization, now: number): Decision<ExchangeOutcome> {
  const { intervalSeconds, lastPollAt } = authorization;
  const tolerance = Math.max(intervalSeconds * 100, 250);
  const sinceLastPoll = lastPollAt === undefined ? Number.POSITIVE_INFINITY : now - lastPollAt;
  const early = sinceLastPoll > -largestClockSkew && sinceLastPoll < intervalSeconds * 1000 - tolerance;
  // A poll that came too early is not accepted: the last accepted one stays where it was.
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
