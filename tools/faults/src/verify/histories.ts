import type { ItemView } from "@platform-rpc/server/testing";
import type { Stored, StoredChange } from "../history/history-file.ts";
import { type CallOn, callsOn, type RecordedCall } from "../history/journal.ts";

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

/** Sequences are 1, 2, 3 … in each vault and in the order of commits, and versions are in each item. */
export function* findGaps({ vaults, changes }: Stored): Generator<string> {
  const heads = new Map<string, number>();
  const versions = new Map<string, number>();
  for (const { vaultId, itemId, version, sequence } of changes) {
    const expected = (heads.get(vaultId) ?? 0) + 1;
    if (sequence !== expected) yield `${vaultId}: sequence ${sequence} follows ${expected - 1}`;
    heads.set(vaultId, sequence);
    const key = `${vaultId}/${itemId}`;
    const before = versions.get(key) ?? 0;
    if (version !== before + 1) yield `${key}: version ${version} follows ${before}`;
    versions.set(key, version);
  }
  for (const { vaultId, sequence } of vaults) {
    if ((heads.get(vaultId) ?? 0) !== sequence) {
      yield `${vaultId}: the vault is at sequence ${sequence}, and its last change at ${heads.get(vaultId) ?? 0}`;
    }
  }
}

export function* findUnasked(histories: ReadonlyMap<string, VaultHistory>): Generator<string> {
  for (const { changes } of histories.values()) {
    for (const { key, version, sequence, state, callers } of changes) {
      if (callers.length > 0) continue;
      yield `${key}: version ${version} is stored as ${state} with sequence ${sequence}, but no call that succeeded or has an unknown effect, and has the request id of its audit record, asked for it`;
    }
  }
}

export function* findOtherAnswers(calls: readonly RecordedCall[]): Generator<string> {
  const bodies = new Map<string, string>();
  for (const { request, result } of callsOn(calls, "item")) {
    if (request.kind === "get" || !result?.ok || result.body === undefined) continue;
    const change = `${request.kind} of ${request.vaultId}/${request.itemId} to version ${result.version}`;
    const first = bodies.get(change) ?? result.body;
    bodies.set(change, first);
    if (first !== result.body) yield `the ${change} was answered with different bodies, ${first} and ${result.body}`;
  }
}

/** Lists sequences that were told after a loss although they are not above all that were told before: a new epoch continues after those. */
export function* findReissued(calls: readonly RecordedCall[], losesUntil: number): Generator<string> {
  const highest = new Map<string, number>();
  const told = callsOn(calls, "item").flatMap(({ request, result, begunAt }) =>
    result !== undefined && "sequence" in result
      ? [{ vaultId: request.vaultId, sequence: result.sequence, begunAt }]
      : [],
  );
  for (const { vaultId, sequence, begunAt } of told) {
    if (begunAt <= losesUntil) highest.set(vaultId, Math.max(highest.get(vaultId) ?? 0, sequence));
  }
  for (const { vaultId, sequence, begunAt } of told) {
    const before = highest.get(vaultId) ?? 0;
    if (begunAt > losesUntil && sequence <= before) {
      yield `${vaultId}: sequence ${sequence} was told at ${begunAt}, and sequence ${before} before the loss: it may have been issued twice`;
    }
  }
}
