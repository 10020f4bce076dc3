/**
 * Thrown when an item or an item key cannot be opened. Every cause gives the same message and no `cause`: an attacker who
 * can submit bytes to be opened must not learn whether the key, the place or the bytes were wrong.
 *
 * @example
 * ```ts
 * import { OpenError, openItem } from "@platform-rpc/client/crypto";
 *
 * try {
 *   await openItem({ place: { ...place, itemId: "item-2" }, ...item, itemKey });
 * } catch (error) {
 *   console.log(error instanceof OpenError);
 *   // true
 * }
 * ```
 */
export class OpenError extends Error {
  override readonly name = "OpenError";

  constructor() {
    super(
      "Cannot open the item, key or name: wrong key, place or writer, or altered data. The exact cause is not reported, for security.",
    );
  }
}

export async function openOrFail<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch {
    throw new OpenError();
  }
}
