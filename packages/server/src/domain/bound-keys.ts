import { defineCollection, installation } from "./model/collection.js";
import { type Decision, unchanged } from "./model/decision.js";
import type { Records } from "./model/record.js";
import { object, text } from "./model/schema.js";
import { defineRule } from "./rule.js";

/** The keys that a storage was last used with. */
export const boundKeys = defineCollection<{ readonly keysId: string }>("keys", {
  schema: object({ keysId: text }),
  keyOf: () => ({ tenantId: installation, key: installation }),
});

export interface FoundKeys {
  /** Undefined when the store is empty. */
  readonly keysId: string | undefined;
  /** The id of bound keys that may be replaced. Undefined when they may not. */
  readonly replace: string | undefined;
}

/** Whether the found keys may be used with this storage. `expected` is the id of the keys that it was last used with. */
export type KeysAccepted = { readonly ok: true } | { readonly ok: false; readonly expected: string };

export const bindKeys = defineRule(decideBindKeys);

/**
 * Binds a storage to the first keys that it is used with. After that, other or missing keys are rejected, unless an operator
 * has permitted the replacement: without the bound keys, everything that they signed or hashed becomes invalid.
 */
export function decideBindKeys(records: Records, { keysId, replace }: FoundKeys, now: number): Decision<KeysAccepted> {
  const bound = boundKeys.find(records, installation, installation)?.keysId;
  if (bound !== undefined && bound !== keysId && bound !== replace) return unchanged({ ok: false, expected: bound });
  if (keysId === undefined || keysId === bound) return unchanged({ ok: true });
  return {
    outcome: { ok: true },
    writes: [boundKeys.put(records, { keysId }, now)],
  };
}
