import type { Write } from "../../domain/model/decision.js";
import type { ItemRef } from "../../domain/model/item.js";
import type { AppliedWrite } from "../engine/apply-write.js";
import type { DecidedCall } from "../engine/decide-batch.js";
import type { WorkingSet } from "../engine/working-set.js";
import { createPayloadLists, type Entry, itemColumns, itemKey, type Put, putRead, putWrite } from "./payload-lists.js";

/** The batch that `platform_commit` receives. */
export interface CommitPayload {
  readonly json: string;
  /** The tenants of what the calls have read and write. */
  readonly tenants: Iterable<string>;
  /** The calls that made the changes, by the number of the change. */
  readonly changes: readonly DecidedCall[];
}

/** Creates the batch that commits the writes of calls, and compares what they have read. */
export function createCommitPayload(set: WorkingSet, calls: readonly DecidedCall[]): CommitPayload {
  const { put, toJson } = createPayloadLists();
  const changes: DecidedCall[] = [];
  const putChange = changeWriter(put);
  const vaultGroups = new Map<string, number[]>();
  /** The items that are changed or shredded, and the group of each. */
  const changed = new Map<string, readonly [item: ItemRef, group: number]>();
  const tenants = new Set<string>();
  let written = 0;
  for (const call of calls) {
    for (const { key } of [...call.reads.values(), ...call.written.values()]) tenants.add(key[0] ?? "");
    for (const [id, row] of call.reads) putRead(put, set, vaultGroups, call.group, id, row);
    for (const applied of call.writes) {
      written += 1;
      const { write } = applied;
      if (write.kind === "audit") tenants.add(write.record.subjectTenantId);
      if (write.kind === "change" || write.kind === "shred") changed.set(itemKey(write.item), [write.item, call.group]);
      if (applied.write.kind !== "change") putWrite(put, set, call.group, applied.write, written);
      else {
        putChange(call.group, changes.length, applied, applied.write);
        changes.push(call);
      }
    }
  }
  for (const [item, group] of changed.values()) putTombstone(put, set, group, item);
  return { json: toJson(), tenants, changes };
}

/** Adds the difference in when an item is to be shredded. */
function putTombstone(put: Put, set: WorkingSet, g: number, item: ItemRef): void {
  const { tenantId, vaultId, itemId: id } = item;
  const before = set.items.loaded(tenantId, vaultId, id)?.row?.status.shredAt;
  const after = set.items.peek(tenantId, vaultId, id)?.status.shredAt;
  if (before === after) return;
  if (before !== undefined) put("oldTombstones", itemKey(item), { g, ...itemColumns(item), at: before });
  if (after !== undefined) put("newTombstones", itemKey(item), { g, ...itemColumns(item), at: after });
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
    const id = itemKey(item);
    const before = newest.get(id);
    if (before !== undefined) put("changes", String(before.number), { ...before.entry, last: false });
    const described = description?.();
    const entry = {
      n: number,
      g: group,
      ...itemColumns(item),
      version: item.version,
      state: item.state,
      at: item.updatedAt,
      shred: item.shredAt,
      last: true,
      kind: described?.kind,
      alg: described?.alg,
      pv: described?.payloadVersion,
    };
    newest.set(id, { number, entry });
    put("changes", String(number), entry);
    if (sealed !== undefined) put("contents", id, { g: group, ...itemColumns(item), ...sealed });
  };
}
