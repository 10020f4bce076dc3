import { listOpened } from "../items/open-items.js";
import type { Terminal } from "../terminal/terminal.js";
import { findVault, namedVaults, openAccess } from "../vaults/find-vault.js";

/** What shells complete with an answer of the server. */
export const completed = ["vaults", "items", "deleted"] as const;

/** Longer would be felt as a shell that hangs. */
const longestMs = 2_000;

/** Prints the words that can follow, one on each line. Prints nothing if that fails or takes long. */
export async function complete(
  terminal: Terminal,
  what: (typeof completed)[number],
  { vault }: { readonly vault?: string },
): Promise<void> {
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(longestMs)]);
  const timedOut = new Promise<readonly string[]>((resolve) => {
    signal.addEventListener("abort", () => resolve([]), { once: true });
  });
  const found = wordsOf({ ...terminal, signal, err() {} }, what, vault).catch(() => []);
  const words = await Promise.race([found, timedOut]);
  // A line break inside of a title would be a word of its own.
  for (const word of words) if (word !== "" && !/\p{Cc}/u.test(word)) terminal.out(`${word}\n`);
}

async function wordsOf(terminal: Terminal, what: string, vault: string | undefined): Promise<readonly string[]> {
  const access = await openAccess(terminal, ["vault.items:read"]);
  if (what === "vaults") return (await namedVaults(access)).map(({ vaultId, name }) => name ?? vaultId);
  const items = await listOpened(access, await findVault(access, vault || undefined), what === "deleted");
  return items.map(({ item, content }) => content?.title || item.itemId);
}
