/**
 * An item, or an item key, cannot be opened. There is one such error, with one message and no cause: whether it was the
 * key, the place or the bytes is told to nobody, because whoever may send bytes to be opened could learn from it.
 *
 * @example
 * ```ts
 * import { OpenFailure, openItem } from "@platform-rpc/client/crypto";
 *
 * try {
 *   await openItem({ place: { ...place, itemId: "item-2" }, ...item, itemKey });
 * } catch (error) {
 *   console.log(error instanceof OpenFailure);
 *   // true
 * }
 * ```
 */
export class OpenFailure extends Error {
  override readonly name = "OpenFailure";

  constructor() {
    super("It cannot be opened");
  }
}

/** Opens, or rejects with an OpenFailure, whatever went wrong. */
export async function openOrFail<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch {
    throw new OpenFailure();
  }
}
