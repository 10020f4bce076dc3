/** A position in the history of a vault. */
export interface CursorPosition {
  readonly vaultId: string;
  readonly sequence: number;
}

/** What to do with the cursor in a result: advance to it, or pull changes first. */
export type CursorAdvance =
  | { readonly advance: CursorPosition; readonly pull?: never }
  | { readonly advance?: never; readonly pull: { readonly vaultId: string; readonly after: number } };

/**
 * Returns the new sync position after a change, or the changes to pull first. The returned cursor becomes your position only if
 * it directly follows yours: otherwise there are changes by others in between. Your position never moves backwards.
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
 * @throws TypeError when the cursors belong to different vaults.
 * @see SPEC section 4.1
 */
export const advanceCursor = (local: CursorPosition, returned: CursorPosition): CursorAdvance => {
  const { vaultId, sequence } = local;
  if (vaultId !== returned.vaultId)
    throw new TypeError("The cursors belong to different vaults. Keep one for each vault.");
  if (returned.sequence > sequence + 1) return { pull: { vaultId, after: sequence } };
  return { advance: { vaultId, sequence: Math.max(sequence, returned.sequence) } };
};
