import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import { ProgramError, deleteItem as remove, restoreItem as restore } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { findItem } from "../items/open-items.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Access, findVault, isId, openAccess } from "../vaults/find-vault.js";
import { endChange, quoted, type VaultOptions } from "./item-command.js";

const [read, del] = ["vault.items:read", "vault.items:delete"] as const;

interface VersionOptions extends VaultOptions {
  readonly version?: number;
}

/** Deletes an item if it is still at the version that the person saw. */
export async function deleteItem(
  terminal: Terminal,
  wanted: string,
  { vault, json = false, version }: VersionOptions,
): Promise<void> {
  // With all of them, nothing is read.
  const isGiven = vault !== undefined && isId(vault) && version !== undefined && isId(wanted);
  const access = await openAccess(terminal, isGiven ? [del] : [read, del], { json });
  const { vaultId, itemId, baseVersion, title } = await placeToDelete(access, wanted, vault, version);
  const place = { vaultId, itemId, baseVersion };
  const item = (await deleteSigned(access, place)) ?? (await remove(access, place, access.signal));
  const undo = `To undo: platform items restore ${itemId} --vault ${vaultId}`;
  const sentence = `Deleted ${title ?? itemId}, version ${item.version}. ${undo}`;
  await endChange(terminal, access, { item, vaultId, json, sentence });
}

export async function restoreItem(
  terminal: Terminal,
  wanted: string,
  { vault, json = false, version }: VersionOptions,
): Promise<void> {
  const access = await openAccess(terminal, [read, "vault.items:restore"], { json });
  const vaultId = await findVault(access, vault);
  const itemId =
    access.unlocked === undefined && isId(wanted)
      ? wanted
      : (await findItem(access, { vaultId, wanted, deleted: true })).item.itemId;
  const item = await restore(access, { vaultId, itemId, baseVersion: version }, access.signal);
  const sentence = `Restored ${itemId}, version ${item.version}.`;
  await endChange(terminal, access, { item, vaultId, json, sentence });
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
  if (vault !== undefined && version !== undefined && isId(wanted) && isId(vault)) {
    // A name may look like an id.
    if (access.unlocked === undefined || !access.scopes.includes(read)) {
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
