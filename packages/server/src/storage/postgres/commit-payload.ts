import type { Write } from "../../domain/decision.js";
import type { ItemRef } from "../../domain/item.js";
import type { AppliedWrite } from "./apply-write.js";
import type { DecidedCall, ReadRow } from "./decide-batch.js";
import { factNames } from "./load-keys.js";
import { authorizationColumns, grantColumns } from "./loaded-rows.js";
import type { WorkingSet } from "./working-set.js";

/** The batch that `platform_commit_1` receives. */
export interface CommitPayload {
  readonly json: string;
  /** The calls that made the changes, by the number of the change. */
  readonly changes: readonly DecidedCall[];
}

/** One entry of a list of the batch. */
type Entry = Readonly<Record<string, unknown>>;

/** The lists of the batch. An entry replaces an earlier one with the same key. */
type Put = (list: string, key: string, entry: Entry) => void;

/** Creates the batch that commits the writes of calls, and compares what they have read. */
export function createCommitPayload(set: WorkingSet, calls: readonly DecidedCall[]): CommitPayload {
  const lists = new Map<string, Map<string, Entry>>();
  const put: Put = (list, key, entry) => {
    const entries = lists.get(list);
    if (entries === undefined) lists.set(list, new Map([[key, entry]]));
    else entries.set(key, entry);
  };
  const changes: DecidedCall[] = [];
  const putChange = changeWriter(put);
  const vaultGroups = new Map<string, number[]>();
  /** The items that are changed or shredded, and the group of each. */
  const changed = new Map<string, readonly [item: ItemRef, group: number]>();
  let written = 0;
  for (const call of calls) {
    for (const [id, row] of call.reads) putRead(put, set, vaultGroups, call.group, id, row);
    for (const applied of call.writes) {
      written += 1;
      const { write } = applied;
      if (write.kind === "change" || write.kind === "shred") changed.set(itemId(write.item), [write.item, call.group]);
      if (applied.write.kind !== "change") putWrite(put, set, call.group, applied.write, written);
      else {
        putChange(call.group, changes.length, applied, applied.write);
        changes.push(call);
      }
    }
  }
  for (const [item, group] of changed.values()) putTombstone(put, set, group, item);
  return { json: JSON.stringify(Object.fromEntries([...lists].map(([name, list]) => [name, sorted(list)]))), changes };
}

/** Returns the entries in the order of their keys, in which every process locks and writes rows. */
function sorted(list: ReadonlyMap<string, Entry>): readonly Entry[] {
  return [...list].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** Adds the version of a row that a call has read, to be compared with its version at the commit. */
function putRead(
  put: Put,
  set: WorkingSet,
  vaultGroups: Map<string, number[]>,
  group: number,
  id: string,
  { table, key }: ReadRow,
): void {
  const [first = "", second = "", third = ""] = key;
  const once = `${id}\n${group}`;
  switch (table) {
    case "vaults": {
      const loaded = set.vaults.loaded(first, second);
      if (loaded === undefined) return;
      // One entry for all groups, so that each vault is locked and compared once.
      const groups = vaultGroups.get(id);
      if (groups !== undefined) {
        groups.push(group);
        return;
      }
      const g = [group];
      vaultGroups.set(id, g);
      put("vaults", id, { g, t: first, v: second, r: loaded.row?.vault.accessRevision ?? null });
      return;
    }
    case "items": {
      const loaded = set.items.loaded(first, second, third);
      if (loaded === undefined) return;
      const { version = null, state = null } = loaded.row?.status ?? {};
      put("items", once, { g: group, t: first, v: second, i: third, r: version, s: state });
      return;
    }
    case "authorizations": {
      const loaded = set.authorizations.loaded(first);
      if (loaded) put("authorizations", once, { g: group, h: first, r: loaded.row?.revision ?? null });
      return;
    }
    case "userCodes": {
      const loaded = set.userCodes.loaded(first);
      if (loaded) put("userCodes", once, { g: group, u: first, h: loaded.row ?? null });
      return;
    }
    case "clients": {
      const loaded = set.clients.loaded(first, second);
      if (loaded) put("clients", once, { g: group, t: first, c: second, r: loaded.row?.revision ?? null });
      return;
    }
    case "principals": {
      const loaded = set.principals.loaded(first, second);
      if (loaded) put("principals", once, { g: group, t: first, p: second, a: loaded.row ?? null });
      return;
    }
    case "facts": {
      const loaded = set.facts.loaded(first);
      if (loaded) put("facts", once, { g: group, name: first, r: loaded.row?.revision ?? null });
      return;
    }
    // Members change only with their vault's revision. The others are only ever inserted.
    case "members":
    case "grants":
    case "tokens":
    case "revocations":
      return;
  }
}

/** Adds the difference in when an item is to be shredded. */
function putTombstone(put: Put, set: WorkingSet, g: number, item: ItemRef): void {
  const { tenantId, vaultId, itemId: id } = item;
  const before = set.items.loaded(tenantId, vaultId, id)?.row?.status.shredAt;
  const after = set.items.peek(tenantId, vaultId, id)?.status.shredAt;
  if (before === after) return;
  if (before !== undefined) put("oldTombstones", itemId(item), { g, ...itemKey(item), at: before });
  if (after !== undefined) put("newTombstones", itemId(item), { g, ...itemKey(item), at: after });
}

/** Returns a function that adds changes. Only the newest change of an item becomes the item's status. */
function changeWriter(put: Put) {
  const newest = new Map<string, { readonly number: number; readonly entry: Entry }>();
  return (
    group: number,
    number: number,
    { sealed, description }: AppliedWrite,
    { item }: Extract<Write, { kind: "change" }>,
  ): void => {
    const id = itemId(item);
    const before = newest.get(id);
    if (before !== undefined) put("changes", String(before.number), { ...before.entry, last: false });
    const entry = {
      n: number,
      g: group,
      ...itemKey(item),
      version: item.version,
      state: item.state,
      at: item.updatedAt,
      shred: item.shredAt,
      last: true,
      kind: description?.kind,
      alg: description?.alg,
      pv: description?.payloadVersion,
    };
    newest.set(id, { number, entry });
    put("changes", String(number), entry);
    if (sealed !== undefined) put("contents", id, { g: group, ...itemKey(item), ...sealed });
  };
}

/** @param number distinguishes this write from the others of the batch */
function putWrite(
  put: Put,
  set: WorkingSet,
  g: number,
  write: Exclude<Write, { kind: "change" }>,
  number: number,
): void {
  switch (write.kind) {
    case "shred":
      put("shreds", itemId(write.item), { g, ...itemKey(write.item) });
      return;
    case "vault":
      putVault(put, set, g, write.vault.tenantId, write.vault.vaultId);
      return;
    case "member": {
      const { tenantId: t, vaultId: v, principalId: p, role = null } = write;
      putVault(put, set, g, t, v);
      put("members", `${t}\n${v}\n${p}`, { g, t, v, p, role });
      return;
    }
    case "deviceAuthorization": {
      const { authorization } = write;
      const { deviceCodeHash: h, userCodeHash: u } = authorization;
      const known = set.authorizations.loaded(h)?.row !== undefined;
      put(known ? "oldAuthorizations" : "newAuthorizations", h, { g, o: authorizationColumns(authorization) });
      const code = set.userCodes.loaded(u);
      if (!known) put(code?.row === undefined ? "newUserCodes" : "oldUserCodes", u, { g, u, h });
      return;
    }
    case "grant":
      put("grants", write.grant.grantId, { g, o: grantColumns(write.grant) });
      return;
    case "revocation":
      put("revocations", write.subjectId, { g, id: write.subjectId, at: write.at });
      return;
    case "oauthClient": {
      const { tenantId: t, oauthClientId: c, name, allowedOperations: operations, enabled } = write.oauthClient;
      put("newClients", `${t}\n${c}`, { g, t, c, name, operations, enabled });
      return;
    }
    case "principal": {
      const { tenantId: t, principalId: p, active } = write.principal;
      put("newPrincipals", `${t}\n${p}`, { g, t, p, active });
      return;
    }
    case "clock":
      putFact(put, set, g, factNames.clock);
      return;
    case "keys":
      putFact(put, set, g, factNames.keys);
      return;
    case "audit": {
      const { record } = write;
      put("audit", String(number).padStart(6, "0"), {
        g,
        st: record.subjectTenantId,
        at: record.at,
        t: record.tenantId,
        p: record.principalId,
        c: record.oauthClientId,
        j: record.tokenId,
        o: record.operation,
        r: record.requestId,
        s: record.subject,
        e: record.event,
        vb: record.versionBefore,
        va: record.versionAfter,
      });
      return;
    }
  }
}

/** Adds a vault as the last decision left it. */
function putVault(put: Put, set: WorkingSet, g: number, t: string, v: string): void {
  const row = set.vaults.peek(t, v);
  if (row === undefined) return;
  const list = set.vaults.loaded(t, v)?.row === undefined ? "newVaults" : "oldVaults";
  put(list, `${t}\n${v}`, { g, t, v, days: row.vault.retentionDays, r: row.vault.accessRevision });
}

function putFact(put: Put, set: WorkingSet, g: number, name: string): void {
  const list = set.facts.loaded(name)?.row === undefined ? "newFacts" : "oldFacts";
  put(list, name, { g, name, value: set.facts.peek(name)?.value ?? null });
}

function itemKey({ tenantId, vaultId, itemId: id }: ItemRef): Entry {
  return { t: tenantId, v: vaultId, i: id };
}

function itemId({ tenantId, vaultId, itemId: id }: ItemRef): string {
  return `${tenantId}\n${vaultId}\n${id}`;
}
