import { isActive, keepOauthClient, oauthClients } from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Bounds, boundsOf, describeBounds, narrow } from "./model/bounds.js";
import { type Decision, unchanged } from "./model/decision.js";
import {
  changed,
  type DeviceAuthorization,
  deviceAuthorizations,
  expired,
  findByUserCode,
} from "./model/device-authorization.js";
import { normalizeScopes } from "./model/grant.js";
import type { Records } from "./model/record.js";
import { defineRule } from "./rule.js";

/** The signed-in user who reads or answers a device authorization. */
export interface Approver {
  readonly tenantId: string;
  readonly principalId: string;
}

/** Why a user code was rejected. */
export type UserCodeError =
  | { readonly ok: false; readonly reason: "USER_CODE_INVALID" }
  | { readonly ok: false; readonly reason: "PRINCIPAL_DISABLED" };

/** What a user sees before deciding, or why the user code was rejected. */
export type GetDeviceAuthorizationOutcome =
  | {
      readonly ok: true;
      readonly authorization: DeviceAuthorization;
      readonly oauthClientName: string;
      /** When the OAuth client was registered, in milliseconds since the epoch; 0 if that was not recorded. */
      readonly oauthClientRegisteredAt: number;
      /** The principal that registered the OAuth client; empty if that was not recorded. */
      readonly oauthClientRegisteredBy: string;
      /** Whether people who approve the OAuth client are offered no bounds. */
      readonly oauthClientUnbounded: boolean;
      readonly status: DeviceAuthorization["state"] | "expired";
    }
  | UserCodeError;

export const getDeviceAuthorization = defineRule(decideGetDeviceAuthorization);

/** Decides whether a user of the tenant may read a device authorization. */
export function decideGetDeviceAuthorization(
  records: Records,
  userCodeHash: string,
  approver: Approver,
  now: number,
): Decision<GetDeviceAuthorizationOutcome> {
  const found = findForApprover(records, userCodeHash, approver);
  if (!found.ok) return unchanged(found);
  const { authorization } = found;
  const client = oauthClients.find(records, authorization.tenantId, authorization.oauthClientId);
  const undecided = authorization.state === "pending" || authorization.state === "approved";
  return unchanged({
    ok: true,
    authorization,
    oauthClientName: client?.name ?? "",
    oauthClientRegisteredAt: client?.registeredAt ?? 0,
    oauthClientRegisteredBy: client?.registeredBy ?? "",
    oauthClientUnbounded: client?.unbounded === true,
    status: undecided && expired(authorization, now) ? "expired" : authorization.state,
  });
}

/** Whether the answer was accepted, or why it was not. */
export type AnswerDeviceAuthorizationOutcome =
  | { readonly ok: true }
  | UserCodeError
  | { readonly ok: false; readonly reason: "DEVICE_AUTHORIZATION_DECIDED" }
  | { readonly ok: false; readonly reason: "SCOPES_NOT_REQUESTED" };

/** The user's answer: the approved scopes with their bounds, or a denial. */
export type DeviceAuthorizationAnswer =
  | {
      readonly approve: readonly string[];
      /** What the approval is limited to, besides what the software has asked for. Default: nothing. */
      readonly bounds?: Bounds | undefined;
    }
  | "deny";

export const answerDeviceAuthorization = defineRule(decideAnswerDeviceAuthorization);

/**
 * Approves or denies a pending device authorization. The first of concurrent answers wins, and a late approval never makes
 * an expired code valid again.
 */
function decideAnswerDeviceAuthorization(
  records: Records,
  userCodeHash: string,
  approver: Approver,
  answer: DeviceAuthorizationAnswer,
  actor: Actor,
  now: number,
): Decision<AnswerDeviceAuthorizationOutcome> {
  const found = findForApprover(records, userCodeHash, approver);
  if (!found.ok) return unchanged(found);
  const { authorization } = found;
  if (authorization.state !== "pending" || expired(authorization, now)) {
    return unchanged({ ok: false, reason: "DEVICE_AUTHORIZATION_DECIDED" });
  }
  const approvedScopes = answer === "deny" ? [] : normalizeScopes(answer.approve);
  if (!approvedScopes.every((scope) => authorization.requestedScopes.includes(scope))) {
    return unchanged({ ok: false, reason: "SCOPES_NOT_REQUESTED" });
  }
  const answered = changed(authorization, {
    state: answer === "deny" ? "denied" : "approved",
    approverId: approver.principalId,
    approvedScopes,
    ...(answer !== "deny" && answer.bounds !== undefined && { approvedBounds: boundsOf(answer.bounds) }),
  });
  const bounds = answer === "deny" ? undefined : narrow(answered.requestedBounds, answered.approvedBounds);
  return {
    outcome: { ok: true },
    writes: [
      deviceAuthorizations.put(records, answered, now),
      ...(answer === "deny" ? [] : keepOauthClient(records, answered, now)),
      audit(actor, now, {
        subjectTenantId: answered.tenantId,
        subject: `device-authorization:${answered.oauthClientId}/${approver.principalId}`,
        event: bounds === undefined ? answered.state : `${answered.state}: ${describeBounds(bounds)}`,
        versionBefore: authorization.revision,
        versionAfter: answered.revision,
      }),
    ],
  };
}

function findForApprover(
  records: Records,
  userCodeHash: string,
  { tenantId, principalId }: Approver,
): { readonly ok: true; readonly authorization: DeviceAuthorization } | UserCodeError {
  if (!isActive(records, tenantId, principalId)) return { ok: false, reason: "PRINCIPAL_DISABLED" };
  const authorization = findByUserCode(records, tenantId, userCodeHash);
  return authorization === undefined ? { ok: false, reason: "USER_CODE_INVALID" } : { ok: true, authorization };
}
