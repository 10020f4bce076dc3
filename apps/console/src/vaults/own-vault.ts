import { openVaultName } from "@platform-rpc/client/crypto";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import { openKeyOf, type WrappedVaultKey } from "../opening/vault-keys.js";
import type { ConsoleSession } from "../session/session.js";

/** A vault of the person, with its name. */
export interface OwnVault extends Pick<MemberVault, "vaultId" | "role" | "retentionDays" | "revision" | "deleted"> {
  readonly name: string;
  /** Undefined for a vault that an administrator has created. */
  readonly key: WrappedVaultKey | undefined;
  /** Whether the person can rename and delete it: they own it, and it is not their personal vault. */
  readonly isManaged: boolean;
}

type Person = Pick<ConsoleSession, "tenantId" | "principalId" | "keys">;

/** Opens the name of a listed vault. */
export async function openVault(listed: MemberVault, person: Person): Promise<OwnVault> {
  const { vaultId, role, retentionDays, revision, deleted } = listed;
  const key = listed.key && {
    keyId: listed.key.keyId,
    epoch: listed.key.epoch,
    wrappedKey: listed.key.wrappedKey,
  };
  const isManaged = role === "owner" && key !== undefined && vaultId !== person.principalId;
  return { vaultId, role, retentionDays, revision, deleted, key, isManaged, name: await nameOf(listed, key, person) };
}

async function nameOf(
  { vaultId, encryptedName }: MemberVault,
  key: WrappedVaultKey | undefined,
  { tenantId, principalId, keys }: Person,
): Promise<string> {
  if (vaultId === principalId) return "Personal";
  if (key === undefined) return vaultId;
  if (key.wrappedKey === "") return "Shared vault";
  try {
    const vaultKey = await openKeyOf({ vaultId, principalId, member: keys?.member, key });
    return await openVaultName(encryptedName, { vaultKey, tenantId, vaultId, epoch: key.epoch });
  } catch {
    return "Vault without a readable name";
  }
}
