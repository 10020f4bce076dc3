import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import type { Write } from "./model/decision.js";
import type { Grant } from "./model/grant.js";
import { newFamily, refreshFamilies } from "./model/refresh-family.js";

/**
 * Returns the writes that open the refresh family of a new grant. Commit them with the grant.
 *
 * @param resource the only resource that its tokens are for. Undefined: each request names its own.
 * @param expiresAt when it ends, in milliseconds since the epoch. Default: in 30 days.
 */
export function openRefreshFamily(
  grant: Grant,
  actor: Actor,
  now: number,
  resource?: string,
  expiresAt?: number,
): readonly Write[] {
  const family = newFamily(grant, now, resource, expiresAt);
  return [
    refreshFamilies.create(family, now),
    audit(actor, now, {
      subjectTenantId: family.tenantId,
      subject: `refresh-family:${family.familyId}`,
      event: "opened",
      versionAfter: family.generation,
    }),
  ];
}
