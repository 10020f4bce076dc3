/** What a call changes. */
export type Effect =
  | ({ readonly kind: "change"; readonly content: string } & ChangedItem)
  | { readonly kind: "shred"; readonly vaultId: string; readonly itemId: string }
  | { readonly kind: "vault"; readonly vaultId: string }
  | ({ readonly kind: "record" } & StoredRecordValue);

export interface ChangedItem {
  readonly vaultId: string;
  readonly itemId: string;
  readonly version: number;
  readonly state: string;
}

export interface StoredRecordValue {
  readonly key: string;
  readonly revision: number;
  readonly value: string;
}

/**
 * What the workload knows: it began a call, the call was acknowledged or failed, or it has read something. A recording contains it as JSON.
 */
export type Mark =
  | { readonly kind: "begun"; readonly call: number; readonly effect: Effect }
  /** Without a sequence: a retry of a call that had already taken effect. */
  | { readonly kind: "acknowledged"; readonly call: number; readonly sequence?: number | undefined }
  | { readonly kind: "failed"; readonly call: number; readonly reason: string }
  | {
      readonly kind: "read";
      readonly items: readonly (Omit<ChangedItem, "state"> & { readonly sequence: number })[];
      readonly records: readonly Omit<StoredRecordValue, "value">[];
    };

/** What a database contains. */
export interface Stored {
  readonly vaults: readonly { readonly vaultId: string; readonly sequence: number }[];
  /** The history, in ascending order of sequence in each vault. */
  readonly changes: readonly StoredChange[];
  /** The items as listed by the storage. */
  readonly items: readonly (StoredChange & { readonly content: string })[];
  /** Audit records of changes of an item, as "vault/item version", and of its shredding, as "vault/item shredded". */
  readonly audit: readonly string[];
  /** The records as listed by the storage. */
  readonly records: readonly StoredRecordValue[];
}

export interface StoredChange extends ChangedItem {
  readonly sequence: number;
}

type Change = Extract<Effect, { readonly kind: "change" }>;

const itemKey = ({ vaultId, itemId }: { readonly vaultId: string; readonly itemId: string }) => `${vaultId}/${itemId}`;
const revisionKey = ({ key, revision }: StoredRecordValue) => `${key} ${revision}`;
const versionKey = (change: Omit<ChangedItem, "state">) => `${itemKey(change)} ${change.version}`;

/** What the marks say about a database. */
export interface Expectation {
  /** Every change that was begun, by item and version. */
  readonly begun: ReadonlyMap<string, Change>;
  /** The acknowledged changes, by item and version, with their sequences. */
  readonly acknowledged: ReadonlyMap<string, number | undefined>;
  /** The changes that were read, by item and version, with their sequences. */
  readonly read: ReadonlyMap<string, number>;
  readonly vaults: ReadonlySet<string>;
  /** The value of every record that was begun, by key and revision. */
  readonly begunRecords: ReadonlyMap<string, string>;
  /** The newest revision of each record that was acknowledged or read. */
  readonly records: ReadonlyMap<string, number>;
  /** Items whose shredding was begun, and those whose shredding was acknowledged. */
  readonly shredding: ReadonlySet<string>;
  readonly shredded: ReadonlySet<string>;
}

export function expectationOf(marks: readonly Mark[]): Expectation {
  const effects = new Map<number, Effect>();
  const begun = new Map<string, Change>();
  const acknowledged = new Map<string, number | undefined>();
  const read = new Map<string, number>();
  const vaults = new Set<string>();
  const begunRecords = new Map<string, string>();
  const records = new Map<string, number>();
  const raise = (key: string, revision: number) => records.set(key, Math.max(revision, records.get(key) ?? 0));
  const shredding = new Set<string>();
  const shredded = new Set<string>();
  for (const mark of marks) {
    if (mark.kind === "begun") {
      const { effect } = mark;
      effects.set(mark.call, effect);
      if (effect.kind === "change") begun.set(versionKey(effect), effect);
      if (effect.kind === "record") begunRecords.set(revisionKey(effect), effect.value);
      if (shreds(effect)) shredding.add(itemKey(effect));
    } else if (mark.kind === "acknowledged") {
      const effect = effects.get(mark.call);
      if (effect === undefined) throw new Error(`call ${mark.call} was acknowledged before it was begun`);
      if (effect.kind === "change") acknowledged.set(versionKey(effect), mark.sequence);
      if (effect.kind === "vault") vaults.add(effect.vaultId);
      if (effect.kind === "record") raise(effect.key, effect.revision);
      if (shreds(effect)) shredded.add(itemKey(effect));
    } else if (mark.kind === "read") {
      for (const item of mark.items) read.set(versionKey(item), item.sequence);
      for (const { key, revision } of mark.records) raise(key, revision);
    }
  }
  return { begun, acknowledged, read, vaults, begunRecords, records, shredding, shredded };
}

function shreds(effect: Effect): effect is Exclude<Effect, { readonly kind: "vault" | "record" }> {
  return effect.kind === "shred" || (effect.kind === "change" && effect.state === "shredded");
}

/** Lists how a database contradicts what was acknowledged and what was begun. */
export function* contradictions(expected: Expectation, stored: Stored): Generator<string> {
  const heads = new Map(stored.vaults.map(({ vaultId, sequence }) => [vaultId, sequence]));
  for (const vaultId of expected.vaults) if (!heads.has(vaultId)) yield `the acknowledged vault ${vaultId} is lost`;

  const last = new Map<string, StoredChange>();
  const history = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const change of stored.changes) {
    const { vaultId, sequence } = change;
    const next = (counts.get(vaultId) ?? 0) + 1;
    counts.set(vaultId, next);
    if (sequence !== next) yield `${vaultId} has sequence ${sequence} instead of ${next}`;
    const version = (last.get(itemKey(change))?.version ?? 0) + 1;
    if (change.version !== version) yield `${versionKey(change)} does not follow version ${version - 1}`;
    if (expected.begun.get(versionKey(change))?.state !== change.state) {
      yield `${versionKey(change)} is ${change.state}, which no call has made it`;
    }
    last.set(itemKey(change), change);
    history.set(versionKey(change), sequence);
  }
  for (const [vaultId, head] of heads) {
    if (head !== (counts.get(vaultId) ?? 0))
      yield `${vaultId} has ${counts.get(vaultId)} changes, and sequence ${head}`;
  }
  for (const [key, sequence] of expected.acknowledged) {
    const found = history.get(key);
    if (found === undefined) yield `the acknowledged change ${key} is lost`;
    else if (sequence !== undefined && found !== sequence) yield `${key} has sequence ${found} instead of ${sequence}`;
  }
  for (const [key, sequence] of expected.read) {
    if (history.get(key) !== sequence) yield `the change ${key} was read with sequence ${sequence}, and is lost`;
  }
  yield* contradictedItems(expected, stored, last);
  yield* contradictedRecords(expected, stored);

  const wanted = [...history.keys(), ...shreddedLater(stored, last).map((item) => `${item} shredded`)].sort();
  const found = [...stored.audit].sort();
  if (wanted.join() !== found.join()) yield `the audit trail has ${found.join()} instead of ${wanted.join()}`;
}

function* contradictedItems(
  { begun, shredding, shredded }: Expectation,
  { items }: Stored,
  last: ReadonlyMap<string, StoredChange>,
): Generator<string> {
  if (items.length !== last.size) yield `there are ${items.length} items, and changes of ${last.size}`;
  for (const item of items) {
    const key = itemKey(item);
    const change = last.get(key);
    if (change?.version !== item.version || change.sequence !== item.sequence) {
      yield `${versionKey(item)} is not the newest change of the item`;
    }
    if (item.state !== change?.state && !(item.state === "shredded" && shredding.has(key))) {
      yield `${versionKey(item)} is ${item.state}, and its newest change ${change?.state}`;
    }
    if (shredded.has(key) && item.state !== "shredded") yield `the acknowledged shredding of ${key} is lost`;
    const content = item.state === "shredded" ? "" : begun.get(versionKey(item))?.content;
    if (item.content !== content) yield `${versionKey(item)} has other content than was written`;
  }
}

function* contradictedRecords(expected: Expectation, { records }: Stored): Generator<string> {
  const found = new Map(records.map(({ key, revision }) => [key, revision]));
  for (const [key, revision] of expected.records) {
    if ((found.get(key) ?? 0) < revision)
      yield `the acknowledged or read revision ${revision} of the record ${key} is lost`;
  }
  for (const record of records) {
    if (expected.begunRecords.get(revisionKey(record)) !== record.value) {
      yield `the record ${revisionKey(record)} has another value than was written`;
    }
  }
}

/** Items that were shredded after their deletion, by a call without a change. */
function shreddedLater({ items }: Stored, last: ReadonlyMap<string, StoredChange>): string[] {
  return items
    .filter((item) => item.state === "shredded" && last.get(itemKey(item))?.state !== "shredded")
    .map(itemKey);
}
