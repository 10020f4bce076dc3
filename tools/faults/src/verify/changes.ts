import { callsOn, type RecordedCall } from "../history/journal.ts";
import type { VaultHistory } from "./histories.ts";
import type { Stored } from "./stored.ts";

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

/** Lists stored changes for which no call has asked. */
export function* findUnasked(histories: ReadonlyMap<string, VaultHistory>): Generator<string> {
  for (const { changes } of histories.values()) {
    for (const { key, version, sequence, state, callers } of changes) {
      if (callers.length > 0) continue;
      yield `${key}: version ${version} is stored as ${state} with sequence ${sequence}, but no call that succeeded or has an unknown effect, and has the request id of its audit record, asked for it`;
    }
  }
}

/** Lists changes whose retries had other responses than their first call. */
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
