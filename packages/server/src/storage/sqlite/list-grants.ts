import type { Grant } from "../../domain/grant.js";
import type { Storage } from "../../ports/storage.js";
import type { Tables } from "./tables/index.js";

/**
 * Creates a function that lists the grants of a principal. It reads the valid grants of all principals in parts, so that other calls
 * continue in between. A grant that is revoked meanwhile may be listed.
 *
 * @param read runs a query, which is one consistent view.
 * @param nextTurn resolves when the next part may be read.
 */
export function createListGrants(
  { grants }: Pick<Tables, "grants">,
  read: <T>(query: () => T) => Promise<T>,
  nextTurn: () => Promise<void>,
): Storage["listGrants"] {
  return async ({ limit, ...query }) => {
    let listed: readonly Grant[] = [];
    let { expiresAfter } = query;
    for (;;) {
      const part = await read(() => grants.readLive({ ...query, expiresAfter }));
      listed = [...listed, ...part.grants].sort(newestFirst).slice(0, limit);
      if (part.next === undefined) return listed;
      expiresAfter = part.next;
      await nextTurn();
    }
  };
}

function newestFirst(one: Grant, two: Grant): number {
  return two.issuedAt - one.issuedAt || (one.grantId < two.grantId ? -1 : 1);
}
