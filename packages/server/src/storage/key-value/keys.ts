import type { KeyRange } from "../../ports/key-value-store.js";

/**
 * The keys of a key-value store: the name of a kind of row and its parts, such as `item acme personal i-1`. A part is escaped so that a key
 * is printable ASCII, and keys have the order of their parts' bytes in UTF-8. The separator, a space, is before all other characters.
 */
const keyOf = (kind: string, ...parts: readonly string[]): string => [kind, ...parts.map(escaped)].join(" ");

function escaped(part: string): string {
  if (!/[^"-}]/.test(part)) return part;
  return part.replaceAll(/[^"-}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x22 ? `!${hex(code, 2)}` : `~${hex(code, 6)}`;
  });
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, "0");
}

/** Returns a number as text of one length, so that texts have the order of the numbers. */
function ordered(number: number): string {
  return String(Math.min(Math.max(0, Math.ceil(number)), Number.MAX_SAFE_INTEGER)).padStart(16, "0");
}

/** The key of each kind of row. A key without a row is an index: its keys have the order of a listing. */
export const keys = {
  vault: (tenantId: string, vaultId: string) => keyOf("vault", tenantId, vaultId),
  /** The newest sequence of a vault. It is after all changes of the vault, so that a listing of them ends with it. */
  head: (tenantId: string, vaultId: string) => keyOf("change", tenantId, vaultId, "head"),
  /** Index: the changed items of a vault, each at its newest sequence. */
  change: (tenantId: string, vaultId: string, sequence: number) =>
    keyOf("change", tenantId, vaultId, ordered(sequence)),
  /** The members, and an index of a principal's vaults. */
  member: (tenantId: string, vaultId: string, principalId: string) => keyOf("member", tenantId, principalId, vaultId),
  item: (tenantId: string, vaultId: string, itemId: string) => keyOf("item", tenantId, vaultId, itemId),
  /** Contents are apart from items, so that a change without content does not write or compare them. */
  content: (tenantId: string, vaultId: string, itemId: string) => keyOf("content", tenantId, vaultId, itemId),
  /** The earlier contents of an item. An item that has none has no such key. */
  earlier: (tenantId: string, vaultId: string, itemId: string) => keyOf("earlier", tenantId, vaultId, itemId),
  /** Index: tombstones by the end of their retention. */
  tombstone: (shredAt: number, ...item: readonly string[]) => keyOf("tombstone", ordered(shredAt), ...item),
  record: (tenantId: string, collection: string, key: string) => keyOf("record", tenantId, collection, key),
  /** Index: records by their owner. */
  owned: (tenantId: string, collection: string, principalId: string, key: string) =>
    keyOf("owned", tenantId, collection, principalId, key),
  /** Index: records by the time at which they expire. */
  expiry: (expiresAt: number, ...record: readonly string[]) => keyOf("expiry", ordered(expiresAt), ...record),
  audit: (position: number) => keyOf("audit", ordered(position)),
  /** Index: the rows of the audit trail about the data of a tenant. */
  auditOf: (tenantId: string, position: number) => keyOf("audit-of", tenantId, ordered(position)),
  seal: (position: number) => keyOf("seal", ordered(position)),
  /** The newest seal of a tenant. */
  sealOf: (tenantId: string) => keyOf("seal-of", tenantId),
  /** The position of the newest row of the audit trail. */
  auditHead: "audit-head",
  /** The newest seal of all tenants. */
  sealHead: "seal-head",
  /** Is written to find out whether the store can write. */
  check: "check",
};

type Range = Pick<KeyRange, "from" | "to">;

/** Returns the range of the keys that begin with these parts, and have more. */
function below(kind: string, ...parts: readonly string[]): Range {
  const key = keyOf(kind, ...parts);
  return { from: `${key} `, to: `${key}!` };
}

/** Returns the range without the keys up to this one. */
function after(key: string, range: Range): Range {
  return { ...range, from: `${key} ` };
}

export const ranges = {
  /** Ends with the head. */
  changes: (tenantId: string, vaultId: string, sequence: number) =>
    after(keys.change(tenantId, vaultId, sequence), below("change", tenantId, vaultId)),
  vaultsOf: (tenantId: string, principalId: string, vaultId: string) =>
    after(keys.member(tenantId, vaultId, principalId), below("member", tenantId, principalId)),
  /** Tombstones whose retention ends up to a time. */
  tombstones: (until: number) => ({ ...below("tombstone"), to: keys.tombstone(Math.floor(until) + 1) }),
  owned: (tenantId: string, collection: string, principalId: string, key: string) =>
    after(keys.owned(tenantId, collection, principalId, key), below("owned", tenantId, collection, principalId)),
  /** Records that expire before a time. */
  expiring: (before: number) => ({ ...below("expiry"), to: keys.expiry(before) }),
  audit: (position: number, last: number) => ({ from: keys.audit(position + 1), to: keys.audit(last + 1) }),
  auditOf: (tenantId: string, before: number) => ({
    ...below("audit-of", tenantId),
    to: keys.auditOf(tenantId, before),
  }),
  seals: (position: number, last: number) => ({ from: keys.seal(position + 1), to: keys.seal(last + 1) }),
};

/** Returns the number in the key of `tombstone` or `expiry`. */
export function timeOf(key: string): number {
  return Number(key.split(" ")[1]);
}
