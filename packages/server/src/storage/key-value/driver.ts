import { lastSequence } from "../../domain/vault.js";
import type { KeyValueCommit, KeyValueStore } from "../../ports/key-value-store.js";
import { StorageError } from "../../ports/storage.js";
import type { DecidedCall } from "../engine/decide-batch.js";
import { decideBatch } from "../engine/decide-batch.js";
import type { CommitResult, Driver, WriteBatch } from "../engine/run-batch.js";
import { type MissingRow, NotLoadedError, type WorkingSet } from "../engine/working-set.js";
import { keys } from "./keys.js";
import { changesOf, keysOf, loadRow, rowsOf, type Values } from "./rows.js";

/** How often a commit is tried with the newest sequences and positions, until its calls are decided again. */
const commitTries = 8;

const alreadyThere = new Error("a record that is written as a new one exists");

/** Creates the driver of a key-value store: one `get` loads what a batch needs, and one `commit` compares and writes. */
export function createKeyValueDriver(store: KeyValueStore): Driver {
  const loadedValues = new WeakMap<WorkingSet, Values>();
  const read = async (wanted: readonly string[]): Promise<Values> => {
    const values = await store.get(wanted);
    return new Map(wanted.map((key, index) => [key, values[index]]));
  };

  return {
    /** Loads and decides until every row that the decisions need was loaded, all of them from one view. */
    async decide(calls) {
      const rows = new Map<string, MissingRow>();
      const add = (row: MissingRow) => rows.set(keysOf(row)[0], row);
      for (const { ref } of calls) for (const row of rowsOf(ref)) add(row);
      for (;;) {
        const values = await read([keys.auditHead, ...[...rows.values()].flatMap(keysOf)]);
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
     * Commits. If something has changed in between, only the groups that have read it are decided again. The others are committed, and
     * their changes get sequences and positions after those of the other process.
     */
    async commit(batch) {
      const loaded = loadedValues.get(batch.set) ?? new Map();
      const failed = new Map<number, StorageError>();
      const stale = new Set<number>();
      let newest: Values = loaded;
      for (let tries = 0; ; tries += 1) {
        const left = batch.calls.filter(({ group }) => !failed.has(group) && !stale.has(group));
        const { reads, sequences, ...commit } = planCommit({ set: batch.set, calls: left }, loaded, newest);
        if (left.length === 0 || (await store.commit(commit))) return { stale: [...stale], failed, sequences };
        newest = await read([...commit.expected.keys()]);
        for (const [key, group] of reads) {
          const changed = newest.get(key) !== loaded.get(key);
          // A new record was not looked for, so deciding again would not help.
          if (changed && !loaded.has(key)) failed.set(group, new StorageError("unavailable", { cause: alreadyThere }));
          else if (changed || tries === commitTries) stale.add(group);
        }
      }
    },

    afterError: (error) =>
      error instanceof StorageError && error.reason === "sequence_exhausted" ? "alone" : "failed",
    toError: (error) => error,
  };
}

interface PlannedCommit extends KeyValueCommit {
  /** The keys that decisions depend on. */
  readonly reads: readonly (readonly [key: string, group: number])[];
  readonly sequences: CommitResult["sequences"];
}

/**
 * Plans the commit of decisions: what they have read is expected, and what they have written is changed. Sequences and positions follow
 * the newest ones. @throws StorageError "sequence_exhausted"
 */
function planCommit({ set, calls }: WriteBatch, loaded: Values, newest: Values): PlannedCommit {
  const reads: (readonly [key: string, group: number])[] = [];
  const expected = new Map<string, string | undefined>();
  const changes = new Map<string, string | undefined>();
  const sequences = new Map<DecidedCall, number>();
  const written = new Map<string, { readonly row: MissingRow; readonly sequence?: number }>();

  const expectRow = (row: MissingRow, group: number) => {
    // Members change only with their vault.
    if (row.table === "members") return;
    const [key] = keysOf(row);
    expected.set(key, loaded.get(key));
    reads.push([key, group]);
  };
  const write = (row: MissingRow, group: number, sequence = written.get(keysOf(row)[0])?.sequence) => {
    expectRow(row, group);
    written.set(keysOf(row)[0], sequence === undefined ? { row } : { row, sequence });
  };
  /** Returns the next number after the one that is stored at a key. */
  const next = (key: string): number => {
    if (!expected.has(key)) expected.set(key, newest.get(key));
    const number = Number(changes.get(key) ?? newest.get(key) ?? 0) + 1;
    changes.set(key, String(number));
    return number;
  };

  for (const call of calls) {
    const { group } = call;
    for (const row of call.reads.values()) expectRow(row, group);
    for (const { write: each } of call.writes) {
      switch (each.kind) {
        case "vault":
          write({ table: "vaults", key: [each.vault.tenantId, each.vault.vaultId] }, group);
          break;
        case "member":
          write({ table: "vaults", key: [each.tenantId, each.vaultId] }, group);
          write({ table: "members", key: [each.tenantId, each.vaultId, each.principalId] }, group);
          break;
        case "change": {
          const { tenantId, vaultId, itemId } = each.item;
          const sequence = next(keys.head(tenantId, vaultId));
          if (sequence > lastSequence) throw new StorageError("sequence_exhausted");
          sequences.set(call, sequence);
          write({ table: "items", key: [tenantId, vaultId, itemId] }, group, sequence);
          break;
        }
        case "shred":
          write({ table: "items", key: [each.item.tenantId, each.item.vaultId, each.item.itemId] }, group);
          break;
        case "record":
          write({ table: "records", key: [each.record.tenantId, each.record.collection, each.record.key] }, group);
          break;
        case "audit": {
          const position = next(keys.auditHead);
          const key = keys.audit(position);
          changes.set(key, JSON.stringify({ ...each.record, position }));
          changes.set(keys.auditOf(each.record.subjectTenantId, position), key);
        }
      }
    }
  }
  for (const { row, sequence } of written.values()) {
    for (const [key, value] of changesOf(set, row, sequence)) changes.set(key, value);
  }
  return { expected, changes, reads, sequences };
}
