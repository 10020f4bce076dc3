import { findingInShort } from "@platform-rpc/items/vault/memory";
import { summaryOf } from "@platform-rpc/signed-in";
import { listOpened, type OpenedItem, subtitleOf } from "../items/open-items.js";
import { type Cell, head, printTable, timeIn } from "../terminal/styled.js";
import { asJson, printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { findVault, openAccess, requireUnlocked } from "../vaults/find-vault.js";
import { describe, type VaultOptions } from "./item-command.js";

/** Lists the items of a vault: what the server knows of them, and while they are unlocked also their titles. */
export async function listItems(
  terminal: Terminal,
  {
    vault,
    json = false,
    deleted = false,
    search,
  }: VaultOptions & { readonly deleted?: boolean; readonly search?: string },
): Promise<void> {
  const access = await openAccess(terminal, ["vault.items:read"], { json });
  if (search !== undefined) requireUnlocked(access, "Titles are encrypted, and cannot be searched.");
  const vaultId = await findVault(access, vault);
  const all = await listOpened(access, vaultId, deleted);
  const found = search === undefined ? all : all.filter((opened) => matches(opened, search));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const items = found.toSorted((one, other) => collator.compare(one.content?.title ?? "", other.content?.title ?? ""));
  if (json) {
    for (const opened of items) printLine(terminal, asJson("items list", describe(opened)));
    return;
  }
  if (items.length === 0) {
    const what = search === undefined ? (deleted ? "deleted items" : "items") : `items that contain "${search}"`;
    return printLine(terminal, `There are no ${what} in ${vaultId}.`);
  }
  if (access.unlocked === undefined) {
    printTable(terminal, [
      head("ITEM", "KIND", "VERSION", "UPDATED"),
      ...items.map((opened) => lockedRow(terminal, opened)),
    ]);
    if (terminal.isOutTerminal) printNotice(terminal, "\nTitles are encrypted. To see them, run: platform unlock", {});
    return;
  }
  printTable(terminal, [head("TITLE", "", "KIND", "UPDATED", "ITEM"), ...items.map((opened) => row(terminal, opened))]);
}

function matches({ content }: OpenedItem, search: string): boolean {
  const text = search.normalize().toLowerCase();
  const shown = content?.fields.filter(({ type }) => type !== "file" && type !== "secret" && type !== "totp") ?? [];
  const texts = [content?.title ?? "", ...(content?.tags ?? []), ...shown.map(({ value }) => value)];
  return texts.some((one) => one.normalize().toLowerCase().includes(text));
}

function lockedRow(terminal: Terminal, { item }: OpenedItem): readonly Cell[] {
  const { itemId, kind, version, updatedAt = "" } = summaryOf(item);
  return [itemId, kind, String(version), timeIn(terminal, updatedAt)];
}

function row(terminal: Terminal, { item, content, isVerified, finding, deletedBy }: OpenedItem): readonly Cell[] {
  const { itemId, kind, updatedAt = "" } = summaryOf(item);
  const title: Cell =
    content === undefined
      ? { text: "(cannot be opened)", style: "dim" }
      : { text: content.title === "" ? "(no title)" : content.title, style: "bold" };
  const doubts = [content && !isVerified && "not verified", finding && findingInShort[finding.what].toLowerCase()];
  const deletion = deletedBy === undefined ? "deleted, as the server says" : `deleted by ${deletedBy}`;
  const subtitle = [subtitleOf(content), ...doubts, item.deleted ? deletion : ""].filter(Boolean).join(", ");
  return [title, subtitle, kind, timeIn(terminal, updatedAt), { text: itemId, style: "dim" }];
}
