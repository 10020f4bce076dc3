/** A position in the history of a vault. */
export interface CursorPosition {
  readonly vaultId: string;
  readonly sequence: number;
}

/** What to do with a cursor that an answer brought. */
export type CursorAdvance =
  | { readonly advance: CursorPosition; readonly pull?: never }
  | { readonly advance?: never; readonly pull: { readonly vaultId: string; readonly after: number } };

/**
 * Whether the cursor that an answer brought can be taken as one's own sync position. It can only if it is the next one:
 * whatever lies between was changed by others, and must be pulled first. A position that is known already stays.
 *
 * @example
 * ```ts
 * import { advanceCursor } from "@platform-rpc/client";
 *
 * const known = { vaultId: "personal", sequence: 41 };
 * console.log(advanceCursor(known, { vaultId: "personal", sequence: 42 }));
 * // { advance: { vaultId: 'personal', sequence: 42 } }
 * console.log(advanceCursor(known, { vaultId: "personal", sequence: 44 }));
 * // { pull: { vaultId: 'personal', after: 41 } }
 * ```
 *
 * @throws TypeError when the cursors are of different vaults.
 * @see SPEC section 4.1
 */
export const advanceCursor = (local: CursorPosition, returned: CursorPosition): CursorAdvance => {
  const { vaultId, sequence } = local;
  if (vaultId !== returned.vaultId) throw new TypeError("vaultId differs");
  if (returned.sequence > sequence + 1) return { pull: { vaultId, after: sequence } };
  return { advance: { vaultId, sequence: Math.max(sequence, returned.sequence) } };
};
