import { setImmediate } from "node:timers/promises";
import type { ChangePage, ChangeQuery } from "../../ports/queries.js";
import type { Storage } from "../../ports/storage.js";
import { newScan } from "./tables/change-pages.js";
import type { Tables } from "./tables/index.js";

/**
 * Creates a function that long reads await before each further part. In each turn of the event loop, one of them continues, however
 * many there are, so that other calls wait for one part only.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}

const noVault: ChangePage = { vault: undefined, head: 0, reached: false, items: [], hasMore: false };

/**
 * Creates a function that lists the changes of a vault. It reads a long history in parts, so that other calls continue in between.
 *
 * @param read runs a query, which is one consistent view.
 * @param nextTurn resolves when the next part may be read.
 */
export function createListChanges(
  { changePages, changes, vaults }: Tables,
  read: <T>(query: () => T) => Promise<T>,
  nextTurn: () => Promise<void>,
): Storage["listChanges"] {
  const find = ({ tenantId, vaultId, principalId }: ChangeQuery) => {
    const found = vaults.find(tenantId, vaultId);
    const hidden = principalId !== undefined && found !== undefined && !vaults.isMember(found, principalId);
    return hidden ? undefined : found;
  };

  return async (query) => {
    const scan = newScan(query.afterSequence);
    for (;;) {
      const page = await read(() => {
        const found = find(query);
        if (found === undefined) return noVault;
        const { vault, head } = found;
        const listed = changePages.read(found, query, scan);
        return listed && { vault, head, reached: changes.reached(found, query.afterSequence), ...listed };
      });
      if (page !== undefined) return page;
      await nextTurn();
    }
  };
}
