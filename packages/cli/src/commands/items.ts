import { chooseVault, currentItem, itemsOf, restoreItem as restore, summaryOf } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { connect } from "../session/connect.js";
import { printLine, type Terminal } from "../terminal/terminal.js";

const read = "vault.items:read";

interface VaultOptions {
  readonly vault?: string;
  readonly json?: boolean;
}

/** Lists the items of a vault: what the server knows of them. Titles and contents are encrypted. */
export async function listItems(
  terminal: Terminal,
  { vault, json = false, deleted = false }: VaultOptions & { readonly deleted?: boolean },
): Promise<void> {
  const { signal } = terminal;
  const connection = await connect(terminal, [read]);
  const vaultId = await chooseVault(connection, vault, signal);
  const items = new Map<string, Item>();
  for await (const { item } of itemsOf(connection, { vaultId }, signal)) items.set(item.itemId, item);
  const shown = [...items.values()].filter((item) => item.deleted === deleted);
  for (const item of shown) {
    if (json) printLine(terminal, JSON.stringify(summaryOf(item)));
  }
  if (json) return;
  if (shown.length === 0)
    return printLine(terminal, `There are no ${deleted ? "deleted items" : "items"} in ${vaultId}.`);
  printLine(terminal, table([["ITEM", "KIND", "VERSION", "UPDATED"], ...shown.map(row)]));
}

/** Deletes an item if it is still at the version that the person saw. */
export async function deleteItem(
  terminal: Terminal,
  itemId: string,
  { vault, json = false, version }: VaultOptions & { readonly version?: number },
): Promise<void> {
  const { signal } = terminal;
  // With both, nothing is read.
  const reads = vault === undefined || version === undefined;
  const connection = await connect(terminal, reads ? [read, "vault.items:delete"] : ["vault.items:delete"]);
  const vaultId = await chooseVault(connection, vault, signal);
  const baseVersion = version ?? (await currentItem(connection, { vaultId, itemId }, signal)).version;
  const { item } = await connection.platform.vault.deleteItem({ vaultId, itemId, baseVersion }, { signal });
  report(
    terminal,
    json,
    item,
    `Deleted ${itemId}, version ${item.version}. To undo: platform items restore ${itemId} --vault ${vaultId}`,
  );
}

export async function restoreItem(
  terminal: Terminal,
  itemId: string,
  { vault, json = false, version }: VaultOptions & { readonly version?: number },
): Promise<void> {
  const { signal } = terminal;
  const connection = await connect(terminal, [read, "vault.items:restore"]);
  const vaultId = await chooseVault(connection, vault, signal);
  const item = await restore(connection, { vaultId, itemId, baseVersion: version }, signal);
  report(terminal, json, item, `Restored ${itemId}, version ${item.version}.`);
}

function report(terminal: Terminal, json: boolean, item: Item, sentence: string): void {
  printLine(terminal, json ? JSON.stringify(summaryOf(item)) : sentence);
}

function row(item: Item): string[] {
  const { itemId, kind, version, updatedAt = "" } = summaryOf(item);
  return [itemId, kind, String(version), updatedAt];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
