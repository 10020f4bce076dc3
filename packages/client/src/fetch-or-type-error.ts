/** A `fetch` that rejects with what the Fetch standard says, a `TypeError`, whatever the given one rejects with. */
export function fetchOrTypeError(fetch: typeof globalThis.fetch | undefined): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await (fetch ?? globalThis.fetch)(input, init);
    } catch (thrown) {
      throw thrown instanceof TypeError ? thrown : new TypeError("fetch failed", { cause: thrown });
    }
  };
}
