import { type Decision, unchanged, type Write } from "../../domain/decision.js";
import type { DeviceCodeSnapshot } from "../../domain/device-authorization.js";
import type { TokenSnapshot } from "../../domain/grant.js";
import { wholeItem } from "../../domain/item.js";
import type { RecordSnapshot } from "../../domain/record.js";
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

export const findAuthorization = defineRule("suite: findAuthorization", ({ authorization }: DeviceCodeSnapshot) =>
  unchanged(authorization),
);

export const findGrant = defineRule("suite: findGrant", ({ grant }: TokenSnapshot) => unchanged(grant));

export const readRecordSnapshot = defineRule("suite: readRecordSnapshot", (snapshot: RecordSnapshot) =>
  unchanged(snapshot),
);

/** The rules of the suite, for a thread that finds rules by their names. */
export const rules: readonly AnyRule[] = [
  commitWrites,
  throwRangeError,
  findItem,
  readItemStatus,
  findAuthorization,
  findGrant,
  readRecordSnapshot,
];
