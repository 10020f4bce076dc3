import { hasHadKey } from "@platform-rpc/accounts/browser/seen-vault-keys";
import type { Item } from "@platform-rpc/types";
import type { VaultReader } from "./open-content.js";
import { type OpenItems, openInWorkers } from "./opener.js";
import { browserVersionStore, createSeenVersions } from "./seen-versions.js";

/** Returns a function that opens the items of a vault, and marks what is older than this browser has seen. */
export function openItemsOf(reader: Omit<VaultReader, "verifies" | "programs">): OpenItems {
  const had = hasHadKey(reader);
  const seen = createSeenVersions(`${reader.principalId}/${reader.vaultId}`, browserVersionStore);
  const ids = (items: readonly Item[]) => items.map(({ itemId }) => itemId);
  let programs: VaultReader["programs"] = [];
  const open: OpenItems = async (items) => {
    const verifying = { ...reader, verifies: await had };
    // The person may have removed one.
    if (programs.length > 0) programs = await listed(verifying);
    const contents = await openInWorkers({ ...verifying, programs })(items);
    if (!contents.some(({ isUnverified }) => isUnverified)) return contents;
    // A program may have written them, which the person has certified. Most people have none.
    const before = programs;
    programs = await listed(verifying);
    return programs === before ? contents : openInWorkers({ ...verifying, programs })(items);
  };
  return async (items) => seen.mark(ids(items), await open(items));
}

async function listed(reader: Omit<VaultReader, "programs">): Promise<VaultReader["programs"]> {
  const { listPrograms } = await import("./certified-programs.js");
  return listPrograms(reader);
}
