import type { Item } from "@platform-rpc/types";
import type { VaultReader } from "./open-content.js";
import { type OpenItems, openInWorkers } from "./opener.js";
import { hasHadKey } from "./seen-keys.js";
import { browserVersionStore, createSeenVersions } from "./seen-versions.js";

/** Returns a function that opens the items of a vault, and marks what is older than this browser has seen. */
export function openItemsOf(reader: Omit<VaultReader, "verifies">): OpenItems {
  const { principalId, vaultId, key } = reader;
  const name = `${principalId}/${vaultId}`;
  const opening = hasHadKey(name, key?.keyId).then((verifies) => openInWorkers({ ...reader, verifies }));
  const seen = createSeenVersions(name, browserVersionStore);
  const ids = (items: readonly Item[]) => items.map(({ itemId }) => itemId);
  return async (items) => seen.mark(ids(items), await (await opening)(items));
}
