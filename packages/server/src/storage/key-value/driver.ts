import { lastSequence } from "../../domain/model/vault.js";
import type { KeyValueCommit, KeyValueStore } from "../../ports/key-value-store.js";
import { StorageError } from "../../ports/storage.js";
import { type DecidedCall, decideBatch, type ReadRow } from "../engine/decide-batch.js";
import type { CommitResult, Driver, WriteBatch } from "../engine/run-batch.js";
import { type MissingRow, NotLoadedError, type WorkingSet } from "../engine/working-set.js";
import { keys } from "./keys.js";
import { changesOf, keysOf, loadRow, rowsOf } from "./rows.js";
import { readValues, type Values } from "./values.js";

/** How many times a commit is repeated with the newest sequences and positions before its calls are decided again. */
const repetitions = 8;

const membersLimit = 10_000;

const alreadyThere = new Error("a record that is written as a new one exists");

/** Creates the driver of a key-value store: one `get` loads what a batch needs, and one `commit` compares and writes. */
export function createKeyValueDriver(store: KeyValueStore): Driver {
  const loadedValues = new WeakMap<WorkingSet, Values>();
  /** The keys of members whose role was found. Of any other principal, the role is read first, and the item only if there is a role. */
  const members = new Set<string>();
  const noteMember = (row: MissingRow, values: Values): void => {
    if (row.table !== "members") return;
    const [key] = keysOf(row);
    members.delete(key);
    if (members.size === membersLimit) members.clear();
    if (values.get(key) !== undefined) members.add(key);
  };

  return {
    /** Loads and decides until every row that the decisions need was loaded, all of them from one view. */
    async decide(calls) {
      const rows = new Map<string, MissingRow>();
      const add = (row: MissingRow) => rows.set(keysOf(row)[0], row);
      const isMember = (row: MissingRow) => members.has(keysOf(row)[0]);
      for (const { ref } of calls) for (const row of rowsOf(ref, isMember)) add(row);
      for (;;) {
        const values = await readValues(store, [keys.auditHead, ...[...rows.values()].flatMap(keysOf)]);
        for (const row of rows.values()) noteMember(row, values);
        const loadAll = (set: WorkingSet) => {
          for (const row of rows.values()) loadRow(set, row, values);
        };
        try {
          const batch = decideBatch(calls, { loadAll });
          loadedValues.set(batch.set, values);
          return batch;
        } catch (error) {
          if (!(error instanceof NotLoadedError)) throw error;
          for (const row of error.missing) add(row);
        }
      }
    },

    /**
     * Commits. If another process has committed in between, only the groups that have read its changes are decided again. The others
     * are committed, and get sequences and positions after its own.
     */
    async commit({ set, calls }) {
      const loaded = loadedValues.get(set) ?? new Map();
      const failed = new Map<number, StorageError>();
      const stale = new Set<number>();
      let newest: Values = loaded;
      for (let tries = 0; ; tries += 1) {
        const left = calls.filter(({ group }) => !failed.has(group) && !stale.has(group));
        const { reads, sequences, ...commit } = planCommit({ set, calls: left }, loaded, newest);
        if (left.length === 0 || (await store.commit(commit))) return { stale: [...stale], failed, sequences };
        newest = await readValues(store, [...commit.expected.keys()]);
        for (const [key, group] of reads) {
          const changed = newest.get(key) !== loaded.get(key);
          // The decision writes a new record without reading its key, so deciding again would write the same.
          if (changed && !loaded.has(key)) failed.set(group, new StorageError("unavailable", { cause: alreadyThere }));
          else if (changed || tries === repetitions) stale.add(group);
        }
      }
    },

    // Of these errors, one call is the cause, and nothing was written.
    afterError: (error) =>
      error instanceof StorageError && ["damaged", "sequence_exhausted"].includes(error.reason) ? "alone" : "failed",
    toError: (error) => error,
  };
}

interface PlannedCommit extends KeyValueCommit {
  /** The keys that the decisions depend on, each with the group of its decision. */
  readonly reads: readonly (readonly [key: string, group: number])[];
  readonly sequences: CommitResult["sequences"];
}

/**
 * Plans the commit of decisions: what they have read is expected, and what they have written is changed.
 *
 * @param loaded the values that the decisions have read
 * @param newest the values that sequences and positions follow
 * @throws StorageError "sequence_exhausted"
 */
function planCommit({ set, calls }: WriteBatch, loaded: Values, newest: Values): PlannedCommit {
  const reads: (readonly [key: string, group: number])[] = [];
  const expected = new Map<string, string | undefined>();
  const changes = new Map<string, string | undefined>();
  const sequences = new Map<DecidedCall, number[]>();
  const written = new Map<string, ReadRow>();
  /** The sequence of the newest change of each item. */
  const changed = new Map<string, number>();

  /** Returns the next number after the one at a key. */
  const next = (key: string): number => {
    if (!expected.has(key)) expected.set(key, newest.get(key));
    const number = Number(changes.get(key) ?? newest.get(key) ?? 0) + 1;
    changes.set(key, String(number));
    return number;
  };

  for (const call of calls) {
    for (const row of [...call.reads.values(), ...call.written.values()]) {
      // Members change only with their vault.
      if (row.table === "members") continue;
      const [key] = keysOf(row);
      expected.set(key, loaded.get(key));
      reads.push([key, call.group]);
    }
    for (const [id, row] of call.written) written.set(id, row);
    for (const { write } of call.writes) {
      if (write.kind === "change") {
        const { tenantId, vaultId, itemId } = write.item;
        const sequence = next(keys.head(tenantId, vaultId));
        if (sequence > lastSequence) throw new StorageError("sequence_exhausted");
        sequences.set(call, [...(sequences.get(call) ?? []), sequence]);
        changed.set(keys.item(tenantId, vaultId, itemId), sequence);
      } else if (write.kind === "audit") {
        const { record } = write;
        const position = next(keys.auditHead);
        changes.set(keys.audit(position), JSON.stringify({ ...record, position }));
        changes.set(keys.auditOf(record.subjectTenantId, position), keys.audit(position));
      }
    }
  }
  for (const row of written.values()) {
    for (const [key, value] of changesOf(set, row, changed.get(keysOf(row)[0]))) changes.set(key, value);
  }
  return { expected, changes, reads, sequences };
}
