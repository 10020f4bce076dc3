import type { VaultHead } from "@platform-rpc/items/vault/vault-head";
import type { WrappedVaultKey } from "@platform-rpc/items/vault/vault-key";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import type { ConsoleSession } from "../session/session.js";

export interface OwnVault extends Pick<MemberVault, "vaultId" | "role" | "retentionDays" | "revision" | "deleted"> {
  readonly name: string;
  /** Whether this browser has seen a newer name. */
  readonly isOlderName: boolean;
  /** Undefined for a vault that an administrator has created. */
  readonly key: WrappedVaultKey | undefined;
  /** The newest that a device of the person has stored. */
  readonly head: VaultHead | undefined;
  /** Whether the person can rename and delete it: they own it, and it is not their personal vault. */
  readonly isManaged: boolean;
}

export function ownVault(
  listed: MemberVault,
  name: string,
  { principalId }: Pick<ConsoleSession, "principalId">,
  isOlderName = false,
): OwnVault {
  const { vaultId, role, retentionDays, revision, deleted, head } = listed;
  // Without the parts of a message that cannot be sent to a worker.
  const key = listed.key && { keyId: listed.key.keyId, epoch: listed.key.epoch, wrappedKey: listed.key.wrappedKey };
  const isManaged = role === "owner" && key !== undefined && vaultId !== principalId;
  const shownName = isOlderName ? `${name} (older than what you saw)` : name;
  return { vaultId, role, retentionDays, revision, deleted, name: shownName, isOlderName, key, head, isManaged };
}

/** Returns whether the person can delete and restore items in a vault. */
export function canChange(vault: Pick<OwnVault, "role"> | undefined): boolean {
  return vault !== undefined && vault.role !== "viewer";
}

/** Returns whether the person can write items in a vault: with its key, which signs and seals what they write. */
export function canWrite(vault: Pick<OwnVault, "role" | "key"> | undefined): boolean {
  return canChange(vault) && vault?.key !== undefined && vault.key.wrappedKey !== "";
}

/** Returns whether the person can delete items of a vault for ever. */
export function canDestroy(vault: Pick<OwnVault, "role"> | undefined): boolean {
  return vault?.role === "owner" || vault?.role === "admin";
}
