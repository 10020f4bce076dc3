import { printable } from "@platform-rpc/client";
import { decodeBase64url } from "@platform-rpc/items/base64url";
import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { codeAt, parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { findingInWords } from "@platform-rpc/items/vault/memory";
import { type HeadFinding, headFindingInWords, isHeadDue } from "@platform-rpc/items/vault/vault-head";
import {
  currentItem,
  type ItemChange,
  itemsOf,
  MemoryError,
  type OpenedContent,
  ProgramError,
  platformErrorOf,
  prepareHeadCheck,
} from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { type Access, isId, requireUnlocked, suggestion } from "../vaults/find-vault.js";

/** An item, and what it contains if it could be opened. */
export interface OpenedItem extends Partial<Pick<OpenedContent, "revision" | "finding">> {
  readonly item: Item;
  readonly content: ItemContent | undefined;
  /** Whether the person, or a program that they have certified, has signed it. */
  readonly isVerified: boolean;
  /** Why it has no content. Undefined while the vaults are locked. */
  readonly problem?: string | undefined;
  /** Who has verifiably deleted it: in a list of deleted items. */
  readonly deletedBy?: string | undefined;
  /** How the list of its vault contradicts the heads of the vault. */
  readonly vaultFinding?: HeadFinding | undefined;
}

/** Opens an item of the vault that was asked for. */
async function openItem({ unlocked }: Access, item: Item, vaultId: string): Promise<OpenedItem> {
  const closed = { item, content: undefined, isVerified: false };
  try {
    return { ...closed, ...(await unlocked?.open(item, vaultId)) };
  } catch (error) {
    if (!(error instanceof ProgramError) || error instanceof MemoryError) throw error;
    return { ...closed, problem: error.message };
  }
}

/** Lists all items of a vault, and notifies the person if the list contradicts its heads. */
async function listChanges(access: Access, vaultId: string, { stores }: { readonly stores: boolean }) {
  const { unlocked, scopes, signal } = access;
  const mayStore = stores && scopes.includes("vault.items:write");
  const check = await prepareHeadCheck(access, { unlocked, vaultId, stores: mayStore }, signal);
  const changes = new Map<string, ItemChange>();
  for await (const change of itemsOf(access, { vaultId }, signal)) changes.set(change.item.itemId, change);
  const vaultFinding = await check(changes.values());
  if (vaultFinding !== undefined) access.notify(headFindingInWords(vaultFinding));
  return { changes, vaultFinding };
}

/** Stores a head of a vault in which the command has changed something, if one is due. */
export async function storeHead(access: Access, vaultId: string): Promise<void> {
  const { unlocked, scopes } = access;
  if (!unlocked?.has(vaultId) || !scopes.includes("vault.items:write")) return;
  if (await isHeadDue(unlocked.headKeysOf(vaultId).memory)) await listChanges(access, vaultId, { stores: true });
}

/** Lists the items of a vault, deleted or not, and opens them if it is unlocked. */
export async function listOpened(access: Access, vaultId: string, deleted: boolean): Promise<OpenedItem[]> {
  const { changes, vaultFinding } = await listChanges(access, vaultId, { stores: !access.changes });
  const listed = [...changes.values()].filter(({ item }) => item.deleted === deleted);
  return Promise.all(
    listed.map(async ({ item, deletionProofs }) => {
      const opened = { ...(await openItem(access, item, vaultId)), vaultFinding };
      if (!deleted) return opened;
      const version = { vaultId, itemId: item.itemId, baseVersion: item.version - 1 };
      return { ...opened, deletedBy: await access.unlocked?.deletedBy(version, deletionProofs?.deleted) };
    }),
  );
}

interface ItemQuery {
  readonly vaultId: string;
  /** The id, or the exact title. */
  readonly wanted: string;
  /** Whether the content is used although it contradicts what this computer has seen. Default: no. */
  readonly older?: boolean | undefined;
  /** Whether titles of deleted items are searched instead of the others. */
  readonly deleted?: boolean;
}

/** Returns the item with an id or an exact title. @throws ProgramError for none, for several, or for a title while vaults are locked. */
export async function findItem(access: Access, { vaultId, wanted, deleted = false }: ItemQuery): Promise<OpenedItem> {
  const { unlocked, signal } = access;
  if (isId(wanted)) {
    try {
      const item = await currentItem(access, { vaultId, itemId: wanted }, signal);
      if (item.itemId !== wanted)
        throw new ProgramError("The server sent another item than requested. Ask its operator.");
      return await openItem(access, item, vaultId);
    } catch (error) {
      if (unlocked === undefined || platformErrorOf(error)?.reason !== "ITEM_NOT_FOUND") throw error;
    }
  }
  requireUnlocked(access, `"${wanted}" is not an id, and titles are encrypted.`);
  const all = await listOpened(access, vaultId, deleted);
  const text = wanted.normalize();
  const [only, ...others] = all.filter(({ content }) => content?.title.normalize() === text);
  if (only === undefined) {
    const titles = all.flatMap(({ content }) => content?.title ?? []);
    throw new ProgramError(
      `There is no ${deleted ? "deleted " : ""}item "${wanted}" in ${vaultId}.${suggestion(wanted, titles)}`,
    );
  }
  if (others.length === 0) return only;
  const lines = [only, ...others].map(
    ({ item, content }) => `  ${item.itemId}  ${item.kind}  ${printable(subtitleOf(content) ?? "")}`,
  );
  throw new ProgramError(
    `${lines.length} items have the title "${wanted}". Specify one by its id:\n${lines.map((line) => line.trimEnd()).join("\n")}`,
    "usage",
  );
}

/** Returns the item with an id or an exact title. @throws ProgramError as `findItem` does, or if it is not open, or older than what was seen. */
export async function findContent(access: Access, query: ItemQuery): Promise<OpenedItem & { content: ItemContent }> {
  requireUnlocked(access, "The contents of items are encrypted.");
  let found = await findItem(access, query);
  // Another program of this computer may have stored a newer content since this one was requested.
  if (found.finding !== undefined) found = await findItem(access, { ...query, wanted: found.item.itemId });
  const { item, content, problem, finding } = found;
  if (item.deleted)
    throw new ProgramError(`Item ${item.itemId} is deleted. To restore it: platform items restore ${item.itemId}`);
  if (content === undefined) throw new ProgramError(problem ?? `The content of ${item.itemId} cannot be read.`);
  if (finding !== undefined && !query.older) {
    throw new ProgramError(`${findingInWords(finding)} To use it as the server has sent it, repeat with --older.`);
  }
  return { ...found, content };
}

/** Returns the one line that tells items with the same title apart. */
export function subtitleOf(content: ItemContent | undefined): string | undefined {
  const shown = ["username", "email", "cardholder", "host", "website"];
  const values = shown.map((name) => fieldValue(content, name));
  return values.find((value) => value !== undefined);
}

/** Returns the value of the first field with a name, if it is not empty. */
export function fieldValue(content: ItemContent | undefined, name: string): string | undefined {
  return content?.fields.find((field) => field.name === name && field.value !== "")?.value;
}

/**
 * Returns the value of a field that a program can use: the bytes of a file, the current code of a one-time secret, otherwise the text. Some
 * one-time secrets have only a text: their codes depend on a counter.
 */
export async function usableValue(field: ContentField, now = Date.now()): Promise<Uint8Array> {
  if (field.type === "file") return fileIn(field);
  if (/\p{Surrogate}/u.test(field.value)) {
    throw new ProgramError(`The field "${field.name}" contains a half of a character, which has no bytes in UTF-8.`);
  }
  if (field.type !== "totp") return Buffer.from(field.value);
  const secret = parseOneTimeSecret(field.value);
  return Buffer.from(secret === undefined ? field.value : await codeAt(secret, now));
}

function fileIn({ name, value }: ContentField): Uint8Array {
  try {
    return decodeBase64url(value);
  } catch {
    throw new ProgramError(`The field "${name}" does not contain a file: its value is not base64url.`);
  }
}

/** Returns whether the value of a field is masked on a screen. */
export function isSecret({ type }: ContentField): boolean {
  return type === "secret";
}
