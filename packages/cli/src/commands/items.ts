import { printable } from "@platform-rpc/client";
import type { ContentField } from "@platform-rpc/items/item-content";
import { fieldsOfKind, labelOf } from "@platform-rpc/items/kind-fields";
import { nameOfKind } from "@platform-rpc/items/kinds";
import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import { findingInShort } from "@platform-rpc/items/vault/memory";
import {
  MemoryError,
  ProgramError,
  deleteItem as remove,
  restoreItem as restore,
  summaryOf,
} from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { getField, specifierOf } from "../items/field-names.js";
import {
  fieldValue,
  findContent,
  findItem,
  isSecret,
  listOpened,
  type OpenedItem,
  subtitleOf,
  usableValue,
} from "../items/open-items.js";
import { formatReference } from "../running/reference.js";
import { type Cell, head, printStyled, printTable, timeIn } from "../terminal/styled.js";
import { asJson, printLine, printNotice, printValue, type Terminal } from "../terminal/terminal.js";
import { type Access, findVault, isId, openAccess, requireUnlocked } from "../vaults/find-vault.js";

const read = "vault.items:read";

export interface VaultOptions {
  readonly vault?: string;
  readonly json?: boolean;
  /** See `findContent`. */
  readonly older?: boolean | undefined;
}

interface VersionOptions extends VaultOptions {
  readonly version?: number;
}

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
  const access = await openAccess(terminal, [read]);
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

/** Prints an item, or one of its fields. */
export async function getItem(
  terminal: Terminal,
  wanted: string,
  {
    vault,
    json = false,
    field: name,
    reveal = false,
    newline = true,
    older,
  }: VaultOptions & { readonly field?: string; readonly reveal?: boolean; readonly newline?: boolean },
): Promise<void> {
  const access = await openAccess(terminal, [read]);
  const vaultId = await findVault(access, vault);
  const opened = await findContent(access, { vaultId, wanted, older });
  if (!opened.isVerified) warnUnverified(terminal, json);
  if (name !== undefined) return printField(terminal, opened, name, { json, newline });
  const shown = reveal || (json && !terminal.isOutTerminal);
  if (json) {
    const { fields } = opened.content;
    const place = { vault: vaultId, item: opened.item.itemId };
    const values = fields.map((field) => {
      const { name, type, fileName, value } = field;
      const reference = formatReference({ ...place, field: specifierOf(fields, field) });
      return { name, type, fileName, value: isHidden(field) && !shown ? masked : value, reference };
    });
    return printLine(terminal, asJson("items get", { ...describe(opened), fields: values }));
  }
  const { item, content } = opened;
  const { updatedAt = "" } = summaryOf(item);
  const { title, tags = [], fields } = content;
  printStyled(terminal, { text: title === "" ? "(no title)" : printable(title), style: "bold" });
  const lines: (readonly [string, Cell])[] = [
    ...(await Promise.all(
      fields
        .filter(({ value }) => value !== "")
        .map(async (field) => [labelIn(fields, field), await shownValue(field, shown)] as const),
    )),
    ...(tags.length > 0 ? [["Tags", tags.join(", ")] as const] : []),
    ["Kind", nameOfKind(item.kind)],
    ["Updated", `${timeIn(terminal, updatedAt)}, version ${item.version}`],
    ["Id", item.itemId],
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  for (const [label, value] of lines) {
    const indented = indent(value, width + 2);
    printStyled(terminal, { text: label.padEnd(width + 2), style: "dim" }, indented);
  }
}

/** Deletes an item if it is still at the version that the person saw. */
export async function deleteItem(
  terminal: Terminal,
  wanted: string,
  { vault, json = false, version }: VersionOptions,
): Promise<void> {
  // With all of them, nothing is read.
  const isGiven = vault !== undefined && isId(vault) && version !== undefined && isId(wanted);
  const access = await openAccess(terminal, isGiven ? ["vault.items:delete"] : [read, "vault.items:delete"]);
  const { vaultId, itemId, baseVersion, title } = await placeToDelete(access, wanted, vault, version);
  const place = { vaultId, itemId, baseVersion };
  const item = (await deleteSigned(access, place)) ?? (await remove(access, place, access.signal));
  await remember(terminal, access, { item, vaultId, json });
  const undo = `To undo: platform items restore ${itemId} --vault ${vaultId}`;
  report(terminal, json, item, `Deleted ${title ?? itemId}, version ${item.version}. ${undo}`);
}

/** Remembers an item that was stored or deleted. That has succeeded: an error here must not look like its own. */
export async function remember(
  terminal: Terminal,
  { unlocked }: Pick<Access, "unlocked">,
  {
    item,
    vaultId,
    json = false,
  }: { readonly item: Item; readonly vaultId: string; readonly json?: boolean | undefined },
): Promise<void> {
  if (!unlocked?.has(vaultId)) return;
  await unlocked.remember(item, vaultId).catch((error: unknown) => {
    if (!(error instanceof MemoryError)) throw error;
    const message = `The server has done it, but this computer cannot remember it: ${error.message}`;
    printNotice(terminal, message, { json });
  });
}

/** Undefined while the vaults are locked, or if the server rejects it: the public operation then fails with the reason. */
async function deleteSigned(
  { unlocked, member, signal }: Access,
  { vaultId, ...version }: { readonly vaultId: string; readonly itemId: string; readonly baseVersion: number },
): Promise<Item | undefined> {
  if (unlocked === undefined) return undefined;
  const proof = await unlocked.signDeletion({ vaultId, ...version });
  const { outcomes } = await member.deleteItems({ vaultId, items: [{ ...version, proof }] }, { signal });
  const item = outcomes[0]?.item;
  return item && checkAnswer(version, item, ProgramError);
}

async function placeToDelete(access: Access, wanted: string, vault: string | undefined, version: number | undefined) {
  const scopes = (await access.session.scopes()) ?? [];
  if (vault !== undefined && version !== undefined && isId(wanted) && isId(vault)) {
    // A name may look like an id.
    if (access.unlocked === undefined || !scopes.includes(read)) {
      return { vaultId: vault, itemId: wanted, baseVersion: version, title: undefined };
    }
  }
  const vaultId = await findVault(access, vault);
  const { item, content } = await findItem(access, { vaultId, wanted });
  return {
    vaultId,
    itemId: item.itemId,
    baseVersion: version ?? item.version,
    title: content && quoted(content.title),
  };
}

export async function restoreItem(
  terminal: Terminal,
  wanted: string,
  { vault, json = false, version }: VersionOptions,
): Promise<void> {
  const access = await openAccess(terminal, [read, "vault.items:restore"]);
  const vaultId = await findVault(access, vault);
  const itemId =
    access.unlocked === undefined && isId(wanted)
      ? wanted
      : (await findItem(access, { vaultId, wanted, deleted: true })).item.itemId;
  const item = await restore(access, { vaultId, itemId, baseVersion: version }, access.signal);
  report(terminal, json, item, `Restored ${itemId}, version ${item.version}.`);
}

export function report(terminal: Terminal, json: boolean, item: Item, sentence: string): void {
  printLine(terminal, json ? asJson("items edit", summaryOf(item)) : sentence);
}

export function quoted(title: string): string {
  return title === "" ? "(no title)" : printable(`"${title}"`);
}

export const notVerified = "Not verified: neither you nor a program that you have certified has signed this item.";

/** Says that a member of the vault whom this machine does not know wrote what is shown. */
export function warnUnverified(terminal: Terminal, json: boolean): void {
  printNotice(terminal, notVerified, { json });
}

async function printField(
  terminal: Terminal,
  opened: Parameters<typeof getField>[0],
  name: string,
  { json, newline }: { readonly json: boolean; readonly newline: boolean },
): Promise<void> {
  const field = getField(opened, name);
  const value = await usableValue(field);
  const text = Buffer.from(value).toString();
  if (json)
    return printLine(
      terminal,
      asJson("items get", { name: field.name, type: field.type, value: field.type === "file" ? field.value : text }),
    );
  const isWhole = field.type === "file" || text.endsWith("\n") || !newline;
  printValue(terminal, isWhole ? value : Buffer.from(`${text}\n`));
}

/** Returns the label of a field, with its place if several fields have the name. */
function labelIn(fields: readonly ContentField[], field: ContentField): string {
  return printable(labelOf(field.name) + specifierOf(fields, field).slice(field.name.length));
}

const masked = "••••••••";

function isHidden(field: ContentField): boolean {
  return isSecret(field) || field.type === "totp";
}

async function shownValue(field: ContentField, shown: boolean): Promise<Cell> {
  const { type, value, fileName } = field;
  if (type === "file")
    return `${fileName ?? "file"} (${Buffer.from(value, "base64url").byteLength.toLocaleString("en")} bytes)`;
  if (type === "totp" && parseOneTimeSecret(value) !== undefined) {
    return Buffer.from(await usableValue(field)).toString();
  }
  return isHidden(field) && !shown ? { text: masked, style: "dim" } : value;
}

function indent(cell: Cell, columns: number): Cell {
  const indented = (text: string) => text.trimEnd().replaceAll("\n", `\n${" ".repeat(columns)}`);
  return typeof cell === "string" ? indented(cell) : { ...cell, text: indented(cell.text) };
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

function describe({ item, content, isVerified, finding, deletedBy }: OpenedItem) {
  const summary = { ...summaryOf(item), deletedBy };
  if (content === undefined) return summary;
  const { title, tags, favourite } = content;
  const names = fieldsOfKind(item.kind).filter(({ name }) => name === "username" || name === "website");
  const shown = names.map(({ name }) => [name, fieldValue(content, name)] as const);
  return { ...summary, title, tags, favourite, ...Object.fromEntries(shown), isVerified, finding };
}
