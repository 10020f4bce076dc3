import { lastSequence } from "../../domain/model/vault.js";
import type { KeyValueCommit } from "../../ports/key-value-store.js";
import { StorageError } from "../../ports/storage.js";
import type { DecidedCall, ReadRow } from "../engine/decide-batch.js";
import type { CommitResult, WriteBatch } from "../engine/run-batch.js";
import { keys } from "./keys.js";
import { changesOf, keysOf } from "./rows.js";
import type { Values } from "./values.js";

/** A commit of decisions. */
export interface PlannedCommit extends KeyValueCommit {
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
export function planCommit({ set, calls }: WriteBatch, loaded: Values, newest: Values): PlannedCommit {
  const reads: (readonly [key: string, group: number])[] = [];
  const expected = new Map<string, string | undefined>();
  const changes = new Map<string, string | undefined>();
  const sequences = new Map<DecidedCall, number>();
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
        sequences.set(call, sequence);
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
