import type { Operations } from "@platform-rpc/server";
import type { Bounds, Delegation, Grant, RefreshFamily } from "@platform-rpc/server/host";
import { isoTime } from "../http/json-body.js";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";
import { scopeInWords } from "../review/words.js";

/** Returns the names of OAuth clients by their ids. The name of a removed one is its id. */
export async function clientNames(
  { getOauthClient }: Pick<Operations, "getOauthClient">,
  tenantId: string,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const named = [...new Set(ids)].map(async (oauthClientId) => {
    const client = await getOauthClient({ tenantId, oauthClientId });
    return [oauthClientId, client?.name || oauthClientId] as const;
  });
  return new Map(await Promise.all(named));
}

/** What a family and a grant have in common. Times are in milliseconds since the epoch. */
interface Approval extends Pick<Grant, "oauthClientId" | "scopes" | "popKeyId" | "device"> {
  readonly id: string;
  readonly renewable: boolean;
  readonly approvedAt: number;
  readonly lastUsedAt: number;
  readonly endsAt: number;
}

/**
 * Lists the software that a person has allowed to act for them, as the pages show it: first what can be renewed, then other tokens. The
 * console is not listed. Never a token.
 */
export async function listConnectedSoftware(
  operations: Pick<Operations, "listRefreshFamilies" | "listGrants" | "listDelegations" | "getOauthClient">,
  person: { readonly tenantId: string; readonly principalId: string },
) {
  const [families, grants, delegations] = await Promise.all([
    operations.listRefreshFamilies(person),
    operations.listGrants(person),
    operations.listDelegations(person),
  ]);
  const renewed = new Set(families.flatMap(({ liveGrants }) => liveGrants.map(({ grantId }) => grantId)));
  const others = grants.filter(
    ({ grantId, oauthClientId }) => !renewed.has(grantId) && oauthClientId !== consoleClientId,
  );
  const approvals = [...families.map(ofFamily), ...others.map(ofGrant)];
  const ids = approvals.map(({ oauthClientId }) => oauthClientId);
  const names = await clientNames(operations, person.tenantId, ids);
  return approvals.map(({ id, oauthClientId, scopes, renewable, device, popKeyId, ...times }) => {
    const { approvedAt, lastUsedAt, endsAt } = times;
    const delegation = delegations.find(({ delegationId }) => delegationId === id);
    return {
      /** The id of the approval: that of its delegation, its refresh family and its grant. */
      id,
      /** The name of its OAuth client, which other approvals can have as well; the id if the client was removed. */
      name: names.get(oauthClientId) ?? oauthClientId,
      oauthClientId,
      /** Where it signed in: see `Grant`. Absent: unknown. */
      ...(device !== undefined && { device }),
      /** The RFC 7638 thumbprint of the key of the device that has the tokens. Absent: without such a key. */
      ...(popKeyId !== "" && { deviceKeyId: popKeyId }),
      scopes: scopes.map((scope) => ({ scope, words: scopeInWords(scope) })),
      /** Whether it renews its tokens until the approval ends. */
      renewable,
      /** Absent: the approval has no bounds but its scopes. */
      ...(delegation !== undefined && {
        bounds: shownBounds(delegation.bounds),
        used: shownUse(delegation),
      }),
      approvedAt: isoTime(approvedAt),
      /**
       * When it last got tokens, deleted an item, used a secret, or was noticed to use its newest token. It may have called later, while these tokens are
       * valid: a call that changes nothing leaves no record.
       */
      lastUsedAt: isoTime(Math.max(lastUsedAt, delegation?.lastDeletionAt ?? 0, delegation?.lastUseAt ?? 0)),
      endsAt: isoTime(Math.min(endsAt, delegation?.bounds.expiresAt ?? endsAt)),
      /** The latest time that the person can allow: then the software must ask again. */
      latestEndsAt: isoTime(endsAt),
    };
  });
}

export function shownUse({ deletions, uses = 0 }: Delegation) {
  return { deletions, uses };
}

export function shownBounds({ expiresAt, ...others }: Bounds) {
  return { ...others, ...(expiresAt !== undefined && { expiresAt: isoTime(expiresAt) }) };
}

function ofFamily({ familyId, newestGrant, rotatedAt, usedAt = 0, ...family }: RefreshFamily): Approval {
  const { oauthClientId, scopes, createdAt, expiresAt, popKeyId } = family;
  return {
    ...{ id: familyId, oauthClientId, scopes, renewable: true, device: newestGrant.device, popKeyId },
    ...{ approvedAt: createdAt, lastUsedAt: Math.max(rotatedAt, usedAt), endsAt: expiresAt },
  };
}

function ofGrant({ grantId, oauthClientId, scopes, issuedAt, expiresAt, popKeyId, device }: Grant): Approval {
  const [at, endsAt] = [1000 * issuedAt, 1000 * expiresAt];
  return {
    ...{ id: grantId, oauthClientId, scopes, renewable: false, device, popKeyId },
    ...{ approvedAt: at, lastUsedAt: at, endsAt },
  };
}
