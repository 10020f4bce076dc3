import { openVaultKey, openVaultName, type VaultKey, type WebCryptoKey } from "@platform-rpc/client/crypto";

/** The key of a vault, wrapped for a person or a program. */
export interface WrappedVaultKey {
  readonly keyId: string;
  readonly epoch: number;
  /** Empty if nobody has shared it with the person. */
  readonly wrappedKey: string;
}

/** A vault, and what unwraps its key. */
export interface VaultKeyReader {
  readonly vaultId: string;
  /** Undefined for a vault without a key. */
  readonly key: WrappedVaultKey | undefined;
  /** What the wrapped key is bound to: the account of the person, or the unlocking of a program. */
  readonly boundTo: string;
  /** AES-256-GCM. Undefined while it is locked. */
  readonly wrappingKey: WebCryptoKey | undefined;
}

/** Forgotten with the keys that unwrap them. */
const opened = new WeakMap<WebCryptoKey, Map<string, Promise<VaultKey>>>();

/** Opens the key of a vault, each once. Rejects if the reader cannot open it. */
export function openKeyOf({ vaultId, key, boundTo, wrappingKey }: VaultKeyReader): Promise<VaultKey> {
  if (key === undefined || key.wrappedKey === "" || wrappingKey === undefined) {
    return Promise.reject(new Error("The key of the vault is not here."));
  }
  const { keyId, epoch, wrappedKey } = key;
  const openedWith = opened.get(wrappingKey) ?? new Map<string, Promise<VaultKey>>();
  opened.set(wrappingKey, openedWith);
  const name = JSON.stringify([boundTo, vaultId, keyId, epoch, wrappedKey]);
  const opening =
    openedWith.get(name) ?? openVaultKey(wrappedKey, { wrappingKey, accountId: boundTo, vaultId, keyId, epoch });
  openedWith.set(name, opening);
  return opening;
}

/** Where the name of a vault is from. */
export interface VaultName {
  readonly tenantId: string;
  readonly encryptedName: string;
  /** The revision of the name: one that was encrypted for another revision is not opened. */
  readonly revision: number;
  /** The person: their personal vault has their id. */
  readonly personId: string;
}

/** Returns what a vault is called. One without a key is called by its id. */
export async function nameOfVault(
  reader: VaultKeyReader,
  { tenantId, encryptedName, revision, personId }: VaultName,
): Promise<string> {
  const { vaultId, key } = reader;
  if (vaultId === personId) return "Personal";
  if (key === undefined) return vaultId;
  if (key.wrappedKey === "") return "Shared vault";
  try {
    const vaultKey = await openKeyOf(reader);
    const name = await openVaultName(encryptedName, { vaultKey, tenantId, vaultId, epoch: key.epoch, revision });
    if (/[^\p{C}\p{Z}]/u.test(name)) return name;
  } catch {
    // As if nothing of it could be seen.
  }
  return "Vault without a readable name";
}
