import { type Decision, unchanged } from "./decision.js";

/** Which keys a storage was last used with. */
export interface KeysSnapshot {
  /** Undefined: with none yet. */
  readonly keysId: string | undefined;
}

/** The keys that are there now. */
export interface FoundKeys {
  /** Undefined: there are none. */
  readonly keysId: string | undefined;
  /** The id of the keys that others may replace. Undefined: none may be replaced. */
  readonly replace: string | undefined;
}

/** Whether the keys that are there may be used with this storage; `expected` are those that it was last used with. */
export type KeysAccepted = { readonly ok: true } | { readonly ok: false; readonly expected: string };

/**
 * Binds a storage to the first keys that it is used with. Others, or none, are refused from then on, unless an operator has
 * said that the bound ones may be replaced: what was signed or hashed with them is worthless without them.
 */
export function decideBindKeys(
  { keysId: bound }: KeysSnapshot,
  { keysId, replace }: FoundKeys,
): Decision<KeysAccepted> {
  if (bound !== undefined && bound !== keysId && bound !== replace) return unchanged({ ok: false, expected: bound });
  if (keysId === undefined || keysId === bound) return unchanged({ ok: true });
  return { outcome: { ok: true }, writes: [{ kind: "keys", keysId }] };
}
