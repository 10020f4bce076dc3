import { findPages, ProgramError } from "@platform-rpc/signed-in";
import { folderOf } from "../session/connect.js";
import { writeDefaultVault } from "../session/settings-file.js";
import { findBrowser } from "../terminal/find-browser.js";
import { type Cell, head, printTable } from "../terminal/styled.js";
import { asJson, printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { matchVault, namedVaults, openAccess } from "../vaults/find-vault.js";

const read = "vault.items:read";

interface JsonOption {
  readonly json?: boolean;
}

export async function printVaults(terminal: Terminal, { json = false }: JsonOption): Promise<void> {
  const access = await openAccess(terminal, [read]);
  const vaults = await namedVaults(access);
  if (json) {
    for (const { vaultId, name, vault } of vaults) {
      const { role, key } = vault;
      const shown = { vaultId, name, role, hasKey: key !== undefined, isDefault: vaultId === access.vault };
      printLine(terminal, asJson("vaults list", shown));
    }
    return;
  }
  if (vaults.length === 0) return printLine(terminal, "You are not a member of any vault.");
  const rows = vaults.map(({ vaultId, name, vault: { role, key } }): readonly Cell[] => [
    vaultId === access.vault ? { text: "*", style: "green" } : "",
    ...(access.unlocked === undefined ? [] : [{ text: name ?? "", style: "bold" as const }]),
    vaultId,
    role,
    // Its items are encrypted for each member instead.
    key === undefined ? "no key" : key.wrappedKey === "" ? "not shared with you yet" : "key",
  ]);
  const names = access.unlocked === undefined ? [] : ["NAME"];
  printTable(terminal, [head("", ...names, "VAULT", "ROLE", "KEY"), ...rows]);
  if (access.unlocked === undefined && terminal.isOutTerminal) {
    printNotice(terminal, "\nNames are encrypted. To see them, run: platform unlock", {});
  }
}

/** Makes a vault the one that commands use by default. */
export async function useVault(terminal: Terminal, wanted: string, { json = false }: JsonOption): Promise<void> {
  const access = await openAccess(terminal, [read]);
  const { vaultId, name } = matchVault(access, await namedVaults(access), wanted);
  await writeDefaultVault(folderOf(terminal), access, vaultId);
  const label = name === undefined ? vaultId : `"${name}" (${vaultId})`;
  printLine(terminal, json ? asJson("vaults use", { vaultId, name }) : `Commands use the vault ${label} by default.`);
}

/** How long a person has to create a vault in the browser, and how often this program looks, in milliseconds. */
const [waitMs, everyMs] = [600_000, 2_000];

/** Opens the page that creates a vault, and waits until there is one: its key must be wrapped by the person's keys, which the browser has. */
export async function createVault(terminal: Terminal, name: string, { json = false }: JsonOption): Promise<void> {
  const access = await openAccess(terminal, [read]);
  const before = new Set((await namedVaults(access)).map(({ vaultId }) => vaultId));
  // The server does not see the fragment, and must not see the name.
  const page = `${await findPages(access.issuer, terminal.signal)}/console#new-vault=${encodeURIComponent(name)}`;
  const openPage = await findBrowser(terminal.environment);
  if (json) printLine(terminal, asJson("vaults create", { page }));
  else {
    const how = openPage === undefined ? "Open this page" : "Your browser opens this page";
    printNotice(
      terminal,
      `${how}, and create the vault there:\n${page}\nWaiting for the new vault; Ctrl+C ends the wait.`,
      {},
    );
  }
  openPage?.(page);
  for (let waited = 0; waited < waitMs; waited += everyMs) {
    await terminal.sleep(everyMs);
    terminal.signal.throwIfAborted();
    const created = (await namedVaults(access)).find(({ vaultId }) => !before.has(vaultId));
    if (created === undefined) continue;
    const { vaultId } = created;
    const shown = json ? asJson("vaults create", { vaultId, name: created.name }) : vaultId;
    printLine(terminal, shown);
    if (access.unlocked !== undefined) printNotice(terminal, "To use the vault here, run: platform unlock", { json });
    return;
  }
  throw new ProgramError(`No vault was created within ${waitMs / 60_000} minutes. Run the command again.`);
}
