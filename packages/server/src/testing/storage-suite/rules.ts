import { type Decision, unchanged, type Write } from "../../domain/model/decision.js";
import { wholeItem } from "../../domain/model/item.js";
import type { NewRecord, Records } from "../../domain/model/record.js";
import type { ItemSnapshot } from "../../domain/model/vault.js";
import { defineRule } from "../../domain/rule.js";

/** Commits writes without a snapshot. */
export const commitWrites = defineRule((_: unknown, writes: readonly Write[], outcome?: unknown) => ({
  outcome,
  writes,
}));

export const throwRangeError = defineRule((_: unknown, message: string): Decision<never> => {
  throw new RangeError(message);
});

export const findItem = defineRule(({ item }: ItemSnapshot) => unchanged(item && wholeItem(item)));

/** Reads everything about an item except its content. */
export const readItemStatus = defineRule(({ vault, role, item }: ItemSnapshot) =>
  unchanged({ vault, role, version: item?.version }),
);

/** Writes records, whatever their revisions are. */
export const storeRecords = defineRule((records: Records, written: readonly NewRecord[]) => ({
  outcome: undefined,
  writes: written.map((record): Write => {
    return { kind: "record", record: { ...record, revision: (records.find(record)?.revision ?? 0) + 1 } };
  }),
}));
