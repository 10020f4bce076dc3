import { randomUUID } from "node:crypto";
import { generatePassword } from "@platform-rpc/items/generate-password";
import type { ItemContent } from "@platform-rpc/items/item-content";
import { emptyFields } from "@platform-rpc/items/kind-fields";
import { ProgramError, putItem, type UnlockedVaults, type WrittenContent } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { type Assignment, assignFields, parseAssignments } from "../items/assignments.js";
import { getField } from "../items/field-names.js";
import { findContent } from "../items/open-items.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Access, findVault, openAccess, requireUnlocked } from "../vaults/find-vault.js";
import { endChange, notVerified, quoted, type VaultOptions } from "./item-command.js";

const scopes = ["vault.items:read", "vault.items:write"] as const;

interface ContentOptions extends VaultOptions {
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly generate?: boolean;
  /** The field for the generated password. */
  readonly generateIn?: string;
  readonly length?: number;
  readonly allowEmpty?: boolean;
}

export async function createItem(
  terminal: Terminal,
  words: readonly string[],
  { vault, json = false, kind = "login", title, tags, ...options }: ContentOptions & { readonly kind?: string },
): Promise<void> {
  if (title === undefined) throw new ProgramError("An item needs a title: --title <title>", "usage");
  const assignments = [...parseAssignments(words), ...generated(kind, options)];
  const access = await openAccess(terminal, scopes, { json });
  const unlocked = requireUnlocked(access, "An item is encrypted on this machine before it is sent.");
  const vaultId = await findVault(access, vault);
  const { allowEmpty } = options;
  const fields = await assignFields(terminal, emptyFields(kind), assignments, { kind, json, allowEmpty });
  const content: ItemContent = { title, ...(tags && { tags }), fields };
  const item = await put(access, unlocked, { vaultId, itemId: randomUUID(), baseVersion: 0, kind, content });
  const sentence = `Created ${quoted(title)}: ${item.itemId}`;
  await endChange(terminal, access, { item, vaultId, json, sentence });
}

/** Changes an item if it is still at the version that this command has read, or that the person saw. */
export async function editItem(
  terminal: Terminal,
  wanted: string,
  words: readonly string[],
  {
    vault,
    json = false,
    title,
    tags,
    remove = [],
    version,
    older,
    ...options
  }: ContentOptions & { readonly remove?: readonly string[]; readonly version?: number },
): Promise<void> {
  const assignments = parseAssignments(words);
  if (assignments.length + remove.length === 0 && title === undefined && tags === undefined && !options.generate) {
    throw new ProgramError(
      "There is nothing to change. Give a field as name=value, or --title, --tags or --remove.",
      "usage",
    );
  }
  const access = await openAccess(terminal, scopes, { json });
  const unlocked = requireUnlocked(access, "An item is changed on this machine before it is sent.");
  const vaultId = await findVault(access, vault);
  const found = await findContent(access, { vaultId, wanted, older });
  const { item: before, content } = found;
  if (!found.isVerified) access.notify(notVerified);
  const removed = remove.map((name) => getField(found, name));
  const { itemId, kind } = before;
  const fields = await assignFields(terminal, content.fields, [...assignments, ...generated(kind, options)], {
    kind,
    json,
    removed,
    allowEmpty: options.allowEmpty,
  });
  const changed: ItemContent = {
    ...content,
    ...(title !== undefined && { title }),
    ...(tags && { tags: tags.filter((tag) => tag !== "") }),
    fields,
  };
  const place = { vaultId, itemId, baseVersion: version ?? before.version };
  const item = await put(access, unlocked, { ...place, kind, content: changed, replaces: found.revision });
  const sentence = `Changed ${quoted(changed.title)}, version ${item.version}.`;
  await endChange(terminal, access, { item, vaultId, json, sentence });
}

async function put(access: Access, unlocked: UnlockedVaults, written: WrittenContent): Promise<Item> {
  return putItem(access, await unlocked.seal(written), access.signal);
}

/** Returns the assignment of a new random value to the password, or to the main secret of another kind. */
function generated(kind: string, { generate, generateIn, length }: ContentOptions): readonly Assignment[] {
  if (!generate) return [];
  const target = generateIn ?? (kind === "api_key" ? "key" : "password");
  const value = generatePassword({ length });
  return parseAssignments([`${target}=`]).map((assignment) => ({ ...assignment, from: "generator", value }));
}
