import { callsOn, type RecordedCall } from "../history/journal.ts";
import type { Stored } from "../history/stored.ts";
import type { VaultHistory } from "./histories.ts";

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
