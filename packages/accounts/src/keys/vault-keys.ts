import { openVaultKey, openVaultName, type VaultKey } from "@platform-rpc/client/crypto";
import type { MemberKeys } from "./user-keys.js";

/** The key of a vault, as the server stores it for the person. */
export interface WrappedVaultKey {
  readonly keyId: string;
  readonly epoch: number;
  /** Empty if nobody has shared it with the person. */
  readonly wrappedKey: string;
}

/** Whose vault key it is, and what opens it. */
export interface VaultKeyReader {
  readonly vaultId: string;
  readonly principalId: string;
  readonly member: MemberKeys | undefined;
  /** Undefined for a vault without a key. */
  readonly key: WrappedVaultKey | undefined;
}

const opened = new Map<string, Promise<VaultKey>>();

/** Opens the key of a vault, each once. Rejects if the person cannot open it. */
export function openKeyOf({ vaultId, principalId, member, key }: VaultKeyReader): Promise<VaultKey> {
  if (key === undefined || key.wrappedKey === "" || member === undefined) {
    return Promise.reject(new Error("The key of the vault is not here."));
  }
  const { keyId, epoch, wrappedKey } = key;
  const name = JSON.stringify([vaultId, keyId, epoch, wrappedKey]);
  const place = { wrappingKey: member.wrappingKey, accountId: principalId, vaultId, keyId, epoch };
  const opening = opened.get(name) ?? openVaultKey(wrappedKey, place);
  opened.set(name, opening);
  return opening;
}

/** Returns what a vault is called: the personal one has the id of its person, and one without a key is called by its id. */
export async function nameOfVault(
  reader: VaultKeyReader & { readonly tenantId: string },
  encryptedName: string,
): Promise<string> {
  const { tenantId, vaultId, principalId, key } = reader;
  if (vaultId === principalId) return "Personal";
  if (key === undefined) return vaultId;
  if (key.wrappedKey === "") return "Shared vault";
  try {
    return await openVaultName(encryptedName, {
      vaultKey: await openKeyOf(reader),
      tenantId,
      vaultId,
      epoch: key.epoch,
    });
  } catch {
    return "Vault without a readable name";
  }
}
