import type { Operations } from "@platform-rpc/server";
import type { Delegation, Grant, RefreshFamily } from "@platform-rpc/server/host";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";

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

/** Software that a person has allowed to act for them. Times are in milliseconds since the epoch. */
export interface ConnectedSoftware {
  /**
   * A `delegation` has limits. Without them, `software` renews its tokens until the approval ends, and a `grant` is the tokens of one approval,
   * which are not renewed.
   */
  readonly kind: "delegation" | "software" | "grant";
  /** The id of the delegation, of the refresh family, or of the grant. */
  readonly id: string;
  /** The name of its OAuth client; its id if the client was removed. */
  readonly name: string;
  readonly oauthClientId: string;
  readonly scopes: readonly string[];
  /** Whether it renews its tokens until the approval ends. */
  readonly renewable: boolean;
  readonly approvedAt: number;
  readonly endsAt: number;
  /**
   * When it last got tokens, deleted an item, or was noticed to use its newest token. It may have called later, while these tokens are valid:
   * a call that changes nothing leaves no record.
   */
  readonly lastUsedAt: number;
  /** Where it signed in: see `Grant`. Undefined: unknown. */
  readonly device: string | undefined;
  /** The RFC 7638 thumbprint of the key of the device that has the tokens; empty without such a key. */
  readonly deviceKeyId: string;
  /** What the approval is limited to, and what was used of it. Absent: nothing but the scopes. */
  readonly delegation?: Pick<Delegation, "bounds" | "deletions">;
}

type Listed = Omit<ConnectedSoftware, "name">;

/** Lists the software that acts for a person: first what can be renewed, then other tokens. The console is not listed. */
export async function listConnectedSoftware(
  operations: Pick<Operations, "listRefreshFamilies" | "listGrants" | "listDelegations" | "getOauthClient">,
  person: { readonly tenantId: string; readonly principalId: string },
): Promise<readonly ConnectedSoftware[]> {
  const [families, grants, delegations] = await Promise.all([
    operations.listRefreshFamilies(person),
    operations.listGrants(person),
    operations.listDelegations(person),
  ]);
  const renewed = new Set(families.flatMap(({ liveGrants }) => liveGrants.map(({ grantId }) => grantId)));
  const others = grants.filter(
    ({ grantId, oauthClientId }) => !renewed.has(grantId) && oauthClientId !== consoleClientId,
  );
  const listed = [...families.map(ofFamily), ...others.map(ofGrant)];
  const ids = listed.map(({ oauthClientId }) => oauthClientId);
  const names = await clientNames(operations, person.tenantId, ids);
  return listed.map((one) => {
    const delegated = delegations.find(({ delegationId }) => delegationId === one.id);
    const delegation = delegated && { bounds: delegated.bounds, deletions: delegated.deletions };
    return {
      ...one,
      name: names.get(one.oauthClientId) ?? one.oauthClientId,
      lastUsedAt: Math.max(one.lastUsedAt, delegated?.lastUsedAt ?? 0),
      ...(delegation && { kind: "delegation", delegation }),
    };
  });
}

function ofFamily(family: RefreshFamily): Listed {
  const {
    familyId,
    oauthClientId,
    scopes,
    createdAt,
    rotatedAt,
    usedAt = 0,
    expiresAt,
    newestGrant,
    popKeyId,
  } = family;
  return {
    ...ofGrant(newestGrant),
    kind: "software",
    id: familyId,
    oauthClientId,
    scopes,
    renewable: true,
    approvedAt: createdAt,
    endsAt: expiresAt,
    lastUsedAt: Math.max(rotatedAt, usedAt),
    deviceKeyId: popKeyId,
  };
}

function ofGrant({ grantId, oauthClientId, scopes, issuedAt, expiresAt, popKeyId, device }: Grant): Listed {
  return {
    kind: "grant",
    id: grantId,
    oauthClientId,
    scopes,
    renewable: false,
    approvedAt: issuedAt * 1000,
    endsAt: expiresAt * 1000,
    lastUsedAt: issuedAt * 1000,
    device,
    deviceKeyId: popKeyId,
  };
}
