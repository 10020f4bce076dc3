import { hasHadKey } from "@platform-rpc/accounts/browser/seen-vault-keys";
import { createMemory } from "@platform-rpc/items/vault/memory";
import { browserMemory } from "./browser-memory.js";
import type { VaultReader } from "./open-content.js";
import { type OpenItems, type OpenSealed, openInWorkers } from "./opener.js";
import { isOwnWrite } from "./own-writes.js";

type OwnReader = Omit<VaultReader, "verifies" | "programs">;

/** Returns a function that opens the items of a vault, and marks what contradicts what this browser has seen. */
export function openItemsOf(reader: OwnReader): OpenItems {
  // A large record is rarely written, and a small one nearly at once, because a person may leave the page.
  const wait = (count: number) => new Promise((resolve) => setTimeout(resolve, Math.min(count, 1_000)));
  const memory = createMemory(browserMemory(`${reader.principalId}/${reader.vaultId}`), wait);
  // What was seen is read while the first items are opened.
  void memory.judge([]);
  const open = openVerified(reader);
  return async (items) => {
    const contents = await open(items);
    const findings = await memory.judge(
      items.map((item, at) => ({ ...item, revision: contents[at]?.revision, isOwn: isOwnWrite(item) })),
    );
    return contents.map((content, index) => ({ ...content, finding: findings[index] }));
  };
}

/** Returns a function that opens items of a vault, and marks those that neither the person nor a program of theirs has signed. */
export function openVerified(reader: OwnReader): OpenSealed {
  const had = hasHadKey(reader);
  let programs: VaultReader["programs"] = [];
  return async (items) => {
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
}

async function listed(reader: Omit<VaultReader, "programs">): Promise<VaultReader["programs"]> {
  const { listPrograms } = await import("./certified-programs.js");
  return listPrograms(reader);
}
