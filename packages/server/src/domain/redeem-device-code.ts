import { isActive, oauthClients } from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { narrow } from "./model/bounds.js";
import { replayable } from "./model/clock-skew.js";
import type { Decision } from "./model/decision.js";
import { openDelegation } from "./model/delegation.js";
import {
  changed,
  type DeviceAuthorization,
  deviceAuthorizations,
  type ExchangeInput,
  type ExchangeOutcome,
} from "./model/device-authorization.js";
import { findValidGrant, type Grant, grantExpiry, grantWrites, normalizeScopes } from "./model/grant.js";
import { clientScopes } from "./model/grantable-scopes.js";
import type { Records } from "./model/record.js";
import { refreshFamilyLife } from "./model/refresh-family.js";

/**
 * Repeats the result of a redemption for a retry with the same Idempotency-Key, because the response may have been lost. Makes the
 * same checks as a redemption: if the grant would not be possible now, the caller gets DEVICE_CODE_CONSUMED.
 */
export function replay(
  records: Records,
  authorization: DeviceAuthorization,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): ExchangeOutcome {
  const { tenantId, consumption, approverId } = authorization;
  const sameCall =
    consumption !== undefined &&
    input.idempotencyKeyHash !== undefined &&
    consumption.idempotencyKeyHash === input.idempotencyKeyHash &&
    consumption.principalId === actor.principalId &&
    replayable(consumption.at, now);
  const grant = sameCall ? findValidGrant(records, tenantId, consumption.grantId) : undefined;
  const grantable = grantableScopes(records, authorization, input);
  return grant !== undefined &&
    approverId !== undefined &&
    isActive(records, tenantId, approverId) &&
    grant.scopes.every((scope) => grantable.includes(scope))
    ? { ok: true, status: "approved", grant }
    : { ok: false, reason: "DEVICE_CODE_CONSUMED" };
}

/** Consumes an approved code and stores the grant. Burns the code when nothing can be granted. */
export function redeem(
  records: Records,
  authorization: DeviceAuthorization,
  input: ExchangeInput,
  actor: Actor,
  now: number,
): Decision<ExchangeOutcome> {
  const { approverId, tenantId, oauthClientId, revision } = authorization;
  const burn = (outcome: ExchangeOutcome, why: string): Decision<ExchangeOutcome> => ({
    outcome,
    writes: [
      deviceAuthorizations.put(records, changed(authorization, { state: "burned" }), now),
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `device-authorization:${oauthClientId}/${approverId ?? ""}`,
        event: `burned: ${why}`,
        versionBefore: revision,
        versionAfter: revision + 1,
      }),
    ],
  });
  if (approverId === undefined || !isActive(records, tenantId, approverId)) {
    return burn({ ok: false, reason: "PRINCIPAL_DISABLED" }, "approver not active");
  }
  const scopes = grantableScopes(records, authorization, input);
  if (scopes.length === 0) {
    return burn({ ok: true, status: "access_denied", because: "no_scopes" }, "no approved scope can be granted");
  }
  const issuedAt = Math.floor(now / 1000);
  const bounds = narrow(authorization.requestedBounds, authorization.approvedBounds);
  const grant: Grant = {
    grantId: input.grantId,
    tenantId,
    principalId: approverId,
    oauthClientId,
    scopes,
    keyId: input.keyId,
    issuedAt,
    expiresAt: grantExpiry(issuedAt, bounds),
    accessTokenId: input.accessTokenId,
    brokerTokenId: input.brokerTokenId,
    popKeyId: authorization.popKeyId || (input.proofKeyId ?? ""),
    ...(bounds !== undefined && { delegation: { delegationId: input.grantId, bounds } }),
    ...(authorization.device !== undefined && { device: authorization.device }),
  };
  const consumed = changed(authorization, {
    state: "consumed",
    consumption: {
      grantId: grant.grantId,
      principalId: actor.principalId,
      idempotencyKeyHash: input.idempotencyKeyHash,
      at: now,
    },
  });
  return {
    outcome: { ok: true, status: "approved", grant },
    writes: [
      deviceAuthorizations.put(records, consumed, now),
      ...grantWrites(grant, now, authorization),
      ...openDelegation(grant, actor, now, input.opensFamily === true ? now + refreshFamilyLife : undefined),
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
  records: Records,
  { tenantId, oauthClientId, requestedScopes, approvedScopes }: DeviceAuthorization,
  { requiredScopes }: ExchangeInput,
): string[] {
  const open = clientScopes(oauthClients.find(records, tenantId, oauthClientId), requiredScopes);
  return normalizeScopes(approvedScopes.filter((scope) => requestedScopes.includes(scope) && open.includes(scope)));
}
