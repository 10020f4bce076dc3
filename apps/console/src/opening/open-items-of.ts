import type { Item } from "@platform-rpc/types";
import { knownPrograms, listPrograms } from "./certified-programs.js";
import type { VaultReader } from "./open-content.js";
import { type OpenItems, openInWorkers } from "./opener.js";
import { hasHadKey } from "./seen-keys.js";
import { browserVersionStore, createSeenVersions } from "./seen-versions.js";

/** Returns a function that opens the items of a vault, and marks what is older than this browser has seen. */
export function openItemsOf(reader: Omit<VaultReader, "verifies" | "programs">): OpenItems {
  const { principalId, vaultId, key } = reader;
  const name = `${principalId}/${vaultId}`;
  const had = hasHadKey(name, key?.keyId);
  const seen = createSeenVersions(name, browserVersionStore);
  const ids = (items: readonly Item[]) => items.map(({ itemId }) => itemId);
  const open: OpenItems = async (items) => {
    const verifying = { ...reader, verifies: await had };
    const programs = knownPrograms();
    const contents = await openInWorkers({ ...verifying, programs })(items);
    if (!contents.some(({ isUnverified }) => isUnverified)) return contents;
    // A program may have written them that was certified meanwhile.
    const listed = await listPrograms(verifying);
    return listed === programs ? contents : openInWorkers({ ...verifying, programs: listed })(items);
  };
  return async (items) => seen.mark(ids(items), await open(items));
}
