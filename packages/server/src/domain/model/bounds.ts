import { flag, list, number, object, optional, type Schema, texts, word } from "./schema.js";

/** Everything that software can do with the items of a vault. */
export const vaultActions = ["read", "write", "delete", "restore", "use"] as const;

/** What software can do with the items of a vault. */
export type VaultAction = (typeof vaultActions)[number];

export const mostVaults = 20;
export const mostHosts = 20;

/**
 * What an approval allows, besides its scopes. What is absent is not bounded.
 *
 * An empty list allows nothing, such as where a request and an approval have nothing in common. Nobody can send one: an endpoint rejects
 * it, or takes it as absent where its format does not distinguish the two.
 */
export interface Bounds {
  /** The ids of the vaults, at most 20. Empty: none. */
  readonly vaults?: readonly string[] | undefined;
  /** Empty: none. */
  readonly actions?: readonly VaultAction[] | undefined;
  /** How many items may be deleted. Restoring an item gives nothing back. */
  readonly maxDeletions?: number | undefined;
  /** How often secrets of items may be used. */
  readonly maxUses?: number | undefined;
  /** Where secrets may be used: exact hosts in lower case, such as `api.example.com` or `example.com:8443`, at most 20. Empty: nowhere. */
  readonly hosts?: readonly string[] | undefined;
  /** Whether the person is asked before each use of a secret. Default: false. */
  readonly asksEachTime?: boolean | undefined;
  /** When the approval ends, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

export const boundsSchema: Schema<Bounds> = object<Bounds>({
  vaults: optional(texts),
  actions: optional(list(word(...vaultActions))),
  maxDeletions: optional(number),
  maxUses: optional(number),
  hosts: optional(texts),
  asksEachTime: optional(flag),
  expiresAt: optional(number),
});

/** Returns the bounds that allow only what both the request and the approval allow. Undefined if neither has bounds. */
export function narrow(requested: Bounds | undefined, approved: Bounds | undefined): Bounds | undefined {
  if (requested === undefined || approved === undefined) return requested ?? approved;
  return boundsOf({
    vaults: both(requested.vaults, approved.vaults),
    actions: both(requested.actions, approved.actions),
    maxDeletions: smaller(requested.maxDeletions, approved.maxDeletions),
    maxUses: smaller(requested.maxUses, approved.maxUses),
    hosts: both(requested.hosts, approved.hosts),
    asksEachTime: requested.asksEachTime || approved.asksEachTime,
    expiresAt: smaller(requested.expiresAt, approved.expiresAt),
  });
}

export function allows({ vaults, actions }: Bounds, vaultId: string, action: VaultAction): boolean {
  return (vaults?.includes(vaultId) ?? true) && (actions?.includes(action) ?? true);
}

/** Returns bounds with their lists sorted and without duplicates, and without absent members: the stored form. */
export function boundsOf({ vaults, actions, maxDeletions, maxUses, hosts, asksEachTime, expiresAt }: Bounds): Bounds {
  return {
    ...(vaults !== undefined && { vaults: [...new Set(vaults)].sort() }),
    ...(actions !== undefined && { actions: vaultActions.filter((action) => actions.includes(action)) }),
    ...(maxDeletions !== undefined && { maxDeletions }),
    ...(maxUses !== undefined && { maxUses }),
    ...(hosts !== undefined && { hosts: [...new Set(hosts)].sort() }),
    ...(asksEachTime === true && { asksEachTime }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Returns whether two bounds are the same. Both have the stored form. */
export function sameBounds(one: Bounds | undefined, two: Bounds | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

/** Describes bounds for the audit trail, such as `vaults v-1 v-2, at most 10 deletions`. */
export function describeBounds({
  vaults,
  actions,
  maxDeletions,
  maxUses,
  hosts,
  asksEachTime,
  expiresAt,
}: Bounds): string {
  const parts = [
    vaults && `vaults ${vaults.join(" ") || "none"}`,
    actions && `actions ${actions.join(" ") || "none"}`,
    maxDeletions !== undefined && `at most ${maxDeletions} deletions`,
    maxUses !== undefined && `at most ${maxUses} uses`,
    hosts && `at ${hosts.join(" ") || "no host"}`,
    asksEachTime && "asks each time",
    expiresAt !== undefined && `until ${new Date(expiresAt).toISOString()}`,
  ];
  return parts.filter((part) => typeof part === "string").join(", ") || "no bounds";
}

/** Bounds as an element of `authorization_details` (RFC 9396 section 2). What is absent is not bounded. */
export interface VaultDetail {
  readonly type: "vault";
  readonly vaults?: readonly string[];
  readonly actions?: readonly VaultAction[];
  readonly max_deletions?: number;
  readonly max_uses?: number;
  readonly hosts?: readonly string[];
  /** Seconds since the epoch, as in a JWT. */
  readonly expires_at?: number;
}

export function vaultDetailOf({ vaults, actions, maxDeletions, maxUses, hosts, expiresAt }: Bounds): VaultDetail {
  return {
    type: "vault",
    ...(vaults !== undefined && { vaults }),
    ...(actions !== undefined && { actions }),
    ...(maxDeletions !== undefined && { max_deletions: maxDeletions }),
    ...(maxUses !== undefined && { max_uses: maxUses }),
    ...(hosts !== undefined && { hosts }),
    ...(expiresAt !== undefined && { expires_at: Math.floor(expiresAt / 1000) }),
  };
}

function both<Value>(
  one: readonly Value[] | undefined,
  two: readonly Value[] | undefined,
): readonly Value[] | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  return one.filter((value) => two.includes(value));
}

function smaller(one: number | undefined, two: number | undefined): number | undefined {
  return one === undefined || two === undefined ? (one ?? two) : Math.min(one, two);
}
