import { randomUUID } from "node:crypto";
import { generatePassword } from "@platform-rpc/items/generate-password";
import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { emptyFields } from "@platform-rpc/items/kind-fields";
import { ProgramError } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { assignFields, parseAssignment } from "../items/assignments.js";
import { findContent } from "../items/open-items.js";
import type { Terminal } from "../terminal/terminal.js";
import type { UnlockedVaults, WrittenItem } from "../unlocked/unlocked-vaults.js";
import { type Access, findVault, openAccess, requireUnlocked } from "../vaults/find-vault.js";
import { quoted, report, type VaultOptions, warnUnverified } from "./items.js";

const scopes = ["vault.items:read", "vault.items:write"] as const;

interface ContentOptions extends VaultOptions {
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly generate?: boolean;
  readonly length?: number;
}

/** Creates an item with the fields of its kind. */
export async function createItem(
  terminal: Terminal,
  words: readonly string[],
  { vault, json = false, kind = "login", title, tags, ...options }: ContentOptions & { readonly kind?: string },
): Promise<void> {
  if (title === undefined) throw new ProgramError("An item needs a title: --title <title>", "usage");
  const assignments = words.map(parseAssignment);
  const access = await openAccess(terminal, scopes);
  const unlocked = requireUnlocked(access, "An item is encrypted on this machine before it is sent.");
  const vaultId = await findVault(access, vault);
  const assigned = await assignFields(terminal, emptyFields(kind), assignments, { kind, json });
  const fields = withGenerated(assigned, kind, options);
  const content: ItemContent = { title, ...(tags && { tags }), fields };
  const item = await put(access, unlocked, { vaultId, itemId: randomUUID(), baseVersion: 0, kind, content });
  report(terminal, json, item, `Created ${quoted(title)}: ${item.itemId}`);
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
    ...options
  }: ContentOptions & { readonly remove?: readonly string[]; readonly version?: number },
): Promise<void> {
  const assignments = words.map(parseAssignment);
  if (assignments.length + remove.length === 0 && title === undefined && tags === undefined && !options.generate) {
    throw new ProgramError(
      "There is nothing to change. Give a field as name=value, or --title, --tags or --remove.",
      "usage",
    );
  }
  const access = await openAccess(terminal, scopes);
  const unlocked = requireUnlocked(access, "An item is changed on this machine before it is sent.");
  const vaultId = await findVault(access, vault);
  const found = await findContent(access, { vaultId, wanted });
  const { item: before, content } = found;
  if (!found.isVerified) warnUnverified(terminal, json);
  const missing = remove.find((name) => !content.fields.some((field) => field.name === name));
  if (missing !== undefined) {
    const names = content.fields.map(({ name }) => name).join(", ");
    throw new ProgramError(`${quoted(content.title)} has no field "${missing}". It has: ${names}.`);
  }
  const kept = content.fields.filter(({ name }) => !remove.includes(name));
  const { itemId, kind } = before;
  const fields = withGenerated(await assignFields(terminal, kept, assignments, { kind, json }), kind, options);
  const changed: ItemContent = {
    ...content,
    ...(title !== undefined && { title }),
    ...(tags && { tags: tags.filter((tag) => tag !== "") }),
    fields,
  };
  const baseVersion = version ?? before.version;
  const item = await put(access, unlocked, { vaultId, itemId, baseVersion, kind, content: changed });
  report(terminal, json, item, `Changed ${quoted(changed.title)}, version ${item.version}.`);
}

async function put({ member, signal }: Access, unlocked: UnlockedVaults, written: WrittenItem): Promise<Item> {
  const { item } = await member.putItem(await unlocked.seal(written), { signal });
  if (item === undefined) throw new ProgramError("The server returned no item. Update this program.");
  return item;
}

/** Returns the fields with a new random value of the password, or of the main secret of another kind. */
function withGenerated(
  fields: readonly ContentField[],
  kind: string,
  { generate, length }: Pick<ContentOptions, "generate" | "length">,
): readonly ContentField[] {
  if (!generate) return fields;
  const name = kind === "api_key" ? "key" : "password";
  const value = generatePassword({ length });
  return fields.some((field) => field.name === name)
    ? fields.map((field) => (field.name === name ? { ...field, value } : field))
    : [...fields, { name, type: "secret", value }];
}
