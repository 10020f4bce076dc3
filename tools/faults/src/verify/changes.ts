import type { Objects } from "./objects.ts";
import type { Stored, StoredChange } from "./stored.ts";

/** A change that clients were told about. */
interface Acknowledged {
  readonly vaultId: string;
  readonly key: string;
  readonly version: number;
  readonly sequence: number;
  /** The first moment at which it may have taken effect, and the first at which it was known that it had. */
  readonly possibleAt: number;
  readonly knownAt: number;
}

/** Lists contradictions between the history of each vault and what clients were told about it. */
export function* findWrongChanges(objects: Objects, stored: Stored): Generator<string> {
  yield* findGaps(stored);
  const acknowledged = [...acknowledgedChanges(objects)];
  yield* findLost(acknowledged, stored);
  yield* findOutOfOrder(acknowledged);
}

/** Sequences are 1, 2, 3 … in each vault and in the order of commits, and versions are in each item. */
function* findGaps({ vaults, changes }: Stored): Generator<string> {
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

/** Every acknowledged change is stored as it was acknowledged. */
function* findLost(acknowledged: readonly Acknowledged[], { changes }: Stored): Generator<string> {
  const byVersion = new Map(changes.map((change) => [versionKey(change), change]));
  for (const { key, version, sequence } of acknowledged) {
    const found = byVersion.get(`${key} ${version}`);
    if (found === undefined) yield `${key}: acknowledged version ${version} is lost`;
    else if (found.sequence !== sequence) {
      yield `${key}: version ${version} was acknowledged with sequence ${sequence}, and is stored with ${found.sequence}`;
    }
  }
}

/** A change that was known before another one of the vault was possible has the smaller sequence. */
function* findOutOfOrder(acknowledged: readonly Acknowledged[]): Generator<string> {
  for (const [vaultId, changes] of Map.groupBy(acknowledged, (change) => change.vaultId)) {
    const byKnown = changes.toSorted((a, b) => a.knownAt - b.knownAt);
    let known = 0;
    let largest = 0;
    for (const { possibleAt, sequence } of changes.toSorted((a, b) => a.possibleAt - b.possibleAt)) {
      for (let other = byKnown[known]; other && other.knownAt < possibleAt; other = byKnown[known]) {
        largest = Math.max(largest, other.sequence);
        known += 1;
      }
      if (sequence <= largest) {
        yield `${vaultId}: sequence ${sequence} was assigned to a call that began after sequence ${largest} was known`;
      }
    }
  }
}

/** Yields each change that a client was told about. Of the calls that may have made it, some may have no response. */
function* acknowledgedChanges({ items }: Objects): Generator<Acknowledged> {
  for (const [key, calls] of items) {
    const [vaultId = ""] = key.split("/");
    const possible = new Map<number, number>();
    const known = new Map<number, { readonly sequence: number; readonly knownAt: number }>();
    for (const { request, result, begunAt, endedAt } of calls) {
      if (request.kind !== "get") {
        const version = request.baseVersion + 1;
        possible.set(version, Math.min(begunAt, possible.get(version) ?? begunAt));
      }
      if (result?.ok && endedAt < (known.get(result.version)?.knownAt ?? Number.POSITIVE_INFINITY)) {
        known.set(result.version, { sequence: result.sequence, knownAt: endedAt });
      }
    }
    for (const [version, change] of known) {
      yield { vaultId, key, version, ...change, possibleAt: possible.get(version) ?? Number.NEGATIVE_INFINITY };
    }
  }
}

function versionKey({ vaultId, itemId, version }: StoredChange): string {
  return `${vaultId}/${itemId} ${version}`;
}
