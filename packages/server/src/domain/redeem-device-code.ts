import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { replayable } from "./clock-skew.js";
import type { Decision } from "./decision.js";
import type {
  DeviceAuthorization,
  DeviceCodeSnapshot,
  ExchangeInput,
  ExchangeOutcome,
} from "./device-authorization.js";
import { type Grant, longestTokenLife, normalizeScopes } from "./grant.js";
import { clientScopes } from "./grantable-scopes.js";

/**
 * Repeats the result of a redemption for a retry with the same Idempotency-Key, because the response may have been lost. Makes the
 * same checks as a redemption: if the grant would not be possible now, the caller gets DEVICE_CODE_CONSUMED.
 */
export function replay(
  authorization: DeviceAuthorization,
  snapshot: DeviceCodeSnapshot,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): ExchangeOutcome {
  const { consumption } = authorization;
  const { approverActive, grant, grantRevoked } = snapshot;
  const sameCall =
    consumption !== undefined &&
    input.idempotencyKeyHash !== undefined &&
    consumption.idempotencyKeyHash === input.idempotencyKeyHash &&
    consumption.principalId === actor.principalId &&
    replayable(consumption.at, now);
  const grantable = grantableScopes(authorization, snapshot, input);
  return sameCall &&
    grant !== undefined &&
    !grantRevoked &&
    approverActive &&
    grant.scopes.every((scope) => grantable.includes(scope))
    ? { ok: true, status: "approved", grant }
    : { ok: false, reason: "DEVICE_CODE_CONSUMED" };
}

/** Consumes an approved code and stores the grant. Burns the code when nothing can be granted. */
export function redeem(
  authorization: DeviceAuthorization,
  snapshot: DeviceCodeSnapshot,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): Decision<ExchangeOutcome> {
  const { approverId, tenantId, oauthClientId, revision } = authorization;
  const burn = (outcome: ExchangeOutcome, why: string): Decision<ExchangeOutcome> => ({
    outcome,
    writes: [
      { kind: "deviceAuthorization", authorization: { ...authorization, state: "burned", revision: revision + 1 } },
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `device-authorization:${oauthClientId}/${approverId ?? ""}`,
        event: `burned: ${why}`,
        versionBefore: revision,
        versionAfter: revision + 1,
      }),
    ],
  });
  if (approverId === undefined || !snapshot.approverActive) {
    return burn({ ok: false, reason: "PRINCIPAL_DISABLED" }, "approver not active");
  }
  const scopes = grantableScopes(authorization, snapshot, input);
  if (scopes.length === 0) {
    return burn({ ok: true, status: "access_denied", because: "no_scopes" }, "no approved scope can be granted");
  }
  const issuedAt = Math.floor(now / 1000);
  const grant: Grant = {
    grantId: input.grantId,
    tenantId,
    principalId: approverId,
    oauthClientId,
    scopes,
    keyId: input.keyId,
    issuedAt,
    expiresAt: issuedAt + longestTokenLife,
    accessTokenId: input.accessTokenId,
    brokerTokenId: input.brokerTokenId,
    popKeyId: authorization.popKeyId || (input.proofKeyId ?? ""),
  };
  const consumed: DeviceAuthorization = {
    ...authorization,
    state: "consumed",
    revision: revision + 1,
    consumption: {
      grantId: grant.grantId,
      principalId: actor.principalId,
      idempotencyKeyHash: input.idempotencyKeyHash,
      at: now,
    },
  };
  return {
    outcome: { ok: true, status: "approved", grant },
    writes: [
      { kind: "deviceAuthorization", authorization: consumed },
      { kind: "grant", grant },
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `grant:${grant.grantId}`,
        event: "granted",
        versionBefore: revision,
        versionAfter: consumed.revision,
      }),
    ],
  };
}

/** Returns requested ∩ approved ∩ scopes of the OAuth client's allowed operations. Empty for a disabled OAuth client. */
function grantableScopes(
  { requestedScopes, approvedScopes }: DeviceAuthorization,
  { oauthClient }: DeviceCodeSnapshot,
  { requiredScopes }: ExchangeInput,
): string[] {
  const open = clientScopes(oauthClient, requiredScopes);
  return normalizeScopes(approvedScopes.filter((scope) => requestedScopes.includes(scope) && open.includes(scope)));
}
