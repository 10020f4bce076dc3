import type { ItemView } from "@platform-rpc/server/testing";
import { type CallOn, callsOn, type RecordedCall } from "../history/journal.ts";
import type { Stored, StoredChange } from "../history/stored.ts";

/** A change of an item, as stored, and what is known of it. */
export interface Change extends StoredChange {
  /** By "vault/item". */
  readonly key: string;
  readonly deleted: boolean;
  /** The digest of the item's content after the change. Undefined: no recorded call has asked for it. */
  readonly content: string | undefined;
  /** The calls that may have made the change: those of its request that succeeded, or whose effect is unknown. */
  readonly callers: readonly CallOn<"item">[];
  /** The sequence of the item's next change; Infinity if there is none. */
  readonly until: number;
}

export interface VaultHistory {
  /** The sequence of the vault. */
  readonly head: number;
  /** The changes of each item, by its id, in the order of their sequences. */
  readonly items: ReadonlyMap<string, readonly Change[]>;
  readonly changes: readonly Change[];
}

/** The event in the audit trail for each kind of change. */
const kindOf: Readonly<Record<string, string>> = {
  created: "put",
  replaced: "put",
  restored: "restore",
  deleted: "delete",
};

/** Finds the callers of each stored change, by the request ids in the audit trail. */
export function createHistories(
  calls: readonly RecordedCall[],
  { vaults, changes, audit }: Stored,
  shreds: (vaultId: string) => boolean,
): ReadonlyMap<string, VaultHistory> {
  const byRequest = Map.groupBy(callsOn(calls, "item"), ({ requestId }) => requestId);
  const records = new Map(audit.map((row) => [`${row.subject} ${row.versionAfter} ${row.event === "shredded"}`, row]));
  const byItem = Map.groupBy(changes, ({ vaultId, itemId }) => `${vaultId}/${itemId}`);
  const found = [...byItem].flatMap(([key, own]) => {
    let content: string | undefined;
    return own.map((stored, at): Change => {
      const { requestId = "", event = "" } = records.get(`item:${key} ${stored.version} false`) ?? {};
      const deleted = stored.state !== "live";
      const callers = (byRequest.get(requestId) ?? []).filter(
        (call) =>
          `${call.request.vaultId}/${call.request.itemId}` === key &&
          call.request.kind === kindOf[event] &&
          mayHaveMade(call, stored.version, deleted),
      );
      const [caller] = callers;
      if (caller?.request.kind === "put") content = caller.request.content;
      else if (deleted && shreds(stored.vaultId)) content = "";
      return { ...stored, key, deleted, content, callers, until: own[at + 1]?.sequence ?? Number.POSITIVE_INFINITY };
    });
  });
  const byVault = Map.groupBy(found, ({ vaultId }) => vaultId);
  return new Map(
    vaults.map(({ vaultId, sequence: head }) => {
      const own = (byVault.get(vaultId) ?? []).sort((a, b) => a.sequence - b.sequence);
      return [vaultId, { head, changes: own, items: Map.groupBy(own, ({ itemId }) => itemId) }];
    }),
  );
}

/** Returns whether a call asked for this version, and succeeded or has an unknown effect. A rejected call changed nothing. */
function mayHaveMade({ request, result }: CallOn<"item">, version: number, deleted: boolean): boolean {
  if (request.kind === "get" || request.baseVersion + 1 !== version || (request.kind === "delete") !== deleted)
    return false;
  return result === undefined || (result.ok && result.version === version);
}

/** Returns what differs between an item in a response and a stored change; undefined if nothing does. */
export function differenceOf(
  change: Change | undefined,
  view: ItemView & { readonly content?: string },
): string | undefined {
  const { version, sequence, deleted, content } = view;
  if (change === undefined) return `version ${version} with sequence ${sequence}, which is not stored: it was lost`;
  const stored = `version ${version} is stored`;
  if (change.sequence !== sequence)
    return `version ${version} with sequence ${sequence}, but ${stored} with ${change.sequence}`;
  if (change.deleted !== deleted) return `version ${version} as ${nameOf(deleted)}, but ${stored} as ${change.state}`;
  if (content === undefined || change.content === undefined || change.content === content) return undefined;
  return `version ${version} with the content ${content || "(none)"}, but the call that made it has put ${change.content || "(none)"}`;
}

function nameOf(deleted: boolean): string {
  return deleted ? "deleted" : "live";
}
