import { oauthClients } from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { boundsOf } from "./model/bounds.js";
import { type Decision, unchanged, type Write } from "./model/decision.js";
import {
  codeLifeSeconds,
  type DeviceAuthorization,
  deviceAuthorizations,
  expired,
  findByUserCode,
  firstIntervalSeconds,
  userCodes,
} from "./model/device-authorization.js";
import { normalizeScopes } from "./model/grant.js";
import type { Records } from "./model/record.js";
import { defineRule } from "./rule.js";

export type StartDeviceAuthorizationOutcome =
  | { readonly ok: true; readonly authorization: DeviceAuthorization }
  /** The generated user code is in use: generate another one. */
  | { readonly ok: false; readonly reason: "USER_CODE_TAKEN" }
  | { readonly ok: false; readonly reason: "OAUTH_CLIENT_NOT_FOUND" };

export const startDeviceAuthorization = defineRule(decideStartDeviceAuthorization);

/** Starts a device authorization (RFC 8628 section 3.1). User codes are unique among unexpired authorizations. */
function decideStartDeviceAuthorization(
  records: Records,
  wanted: Pick<
    DeviceAuthorization,
    | "deviceCodeHash"
    | "userCodeHash"
    | "tenantId"
    | "oauthClientId"
    | "requestedScopes"
    | "requestedBounds"
    | "popKeyId"
    | "device"
  >,
  actor: Actor,
  now: number,
  also: readonly Write[] = [],
): Decision<StartDeviceAuthorizationOutcome> {
  const { tenantId, oauthClientId, deviceCodeHash, userCodeHash } = wanted;
  if (oauthClients.find(records, tenantId, oauthClientId)?.enabled !== true)
    return unchanged({ ok: false, reason: "OAUTH_CLIENT_NOT_FOUND" });
  const authorization = findByUserCode(records, tenantId, userCodeHash);
  if (authorization !== undefined && !expired(authorization, now)) {
    return unchanged({ ok: false, reason: "USER_CODE_TAKEN" });
  }
  const started: DeviceAuthorization = {
    ...wanted,
    requestedScopes: normalizeScopes(wanted.requestedScopes),
    requestedBounds: wanted.requestedBounds && boundsOf(wanted.requestedBounds),
    state: "pending",
    revision: 1,
    createdAt: now,
    expiresAt: now + codeLifeSeconds * 1000,
    intervalSeconds: firstIntervalSeconds,
    lastPollAt: undefined,
    approverId: undefined,
    approvedScopes: [],
    consumption: undefined,
  };
  return {
    outcome: { ok: true, authorization: started },
    writes: [
      deviceAuthorizations.create(started, now),
      userCodes.put(records, { tenantId, userCodeHash, deviceCodeHash, expiresAt: started.expiresAt }, now),
      ...also,
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `device-authorization:${oauthClientId}`,
        event: "started",
        versionAfter: started.revision,
      }),
    ],
  };
}
