import { type Decision, unchanged, type Write } from "../../domain/decision.js";
import { wholeItem } from "../../domain/item.js";
import type { NewRecord, Records } from "../../domain/record.js";
import { type AnyRule, defineRule } from "../../domain/rule.js";
import type { ItemSnapshot } from "../../domain/vault.js";

/** Commits writes without a snapshot. */
export const commitWrites = defineRule(
  "suite: commitWrites",
  (_: unknown, writes: readonly Write[], outcome?: unknown) => ({ outcome, writes }),
);

export const throwRangeError = defineRule("suite: throwRangeError", (_: unknown, message: string): Decision<never> => {
  throw new RangeError(message);
});

export const findItem = defineRule("suite: findItem", ({ item }: ItemSnapshot) => unchanged(item && wholeItem(item)));

/** Reads everything about an item except its content. */
export const readItemStatus = defineRule("suite: readItemStatus", ({ vault, role, item }: ItemSnapshot) =>
  unchanged({ vault, role, version: item?.version }),
);

/** Writes records, whatever their revisions are. */
export const storeRecords = defineRule("suite: storeRecords", (records: Records, written: readonly NewRecord[]) => ({
  outcome: undefined,
  writes: written.map((record): Write => {
    return { kind: "record", record: { ...record, revision: (records.find(record)?.revision ?? 0) + 1 } };
  }),
}));

/** The rules of the suite, for a thread that finds rules by their names. */
export const rules: readonly AnyRule[] = [commitWrites, throwRangeError, findItem, readItemStatus, storeRecords];
