import type { MemberKeys } from "@platform-rpc/accounts/keys/user-keys";
import { openVaultKey, type VaultKey } from "@platform-rpc/client/crypto";

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
