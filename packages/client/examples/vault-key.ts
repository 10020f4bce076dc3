import {
  createVaultKey,
  openVaultKey,
  openVaultName,
  sealVaultName,
  type VaultKeyHolder,
  type VaultKeyPlace,
  wrapVaultKey,
} from "@platform-rpc/client/crypto";

/** Creates the key of a vault. Returns what to store: the key, wrapped for its holder, and the encrypted name of the vault. */
export async function create(place: VaultKeyPlace & { tenantId: string }, name: string) {
  const vaultKey = await createVaultKey();
  return {
    wrappedKey: await wrapVaultKey(vaultKey, place),
    encryptedName: await sealVaultName(name, { ...place, vaultKey }),
  };
}

/** Opens the key and the name of a vault. Pass the key as a recipient to `sealItem`, and as the holder to `unwrapItemKey`. */
export async function openVault(
  { wrappedKey, encryptedName }: { wrappedKey: string; encryptedName: string },
  place: VaultKeyPlace & { tenantId: string },
): Promise<{ name: string; holder: VaultKeyHolder }> {
  const vaultKey = await openVaultKey(wrappedKey, place);
  const name = await openVaultName(encryptedName, { ...place, vaultKey });
  return { name, holder: { recipientId: place.keyId, vaultKey } };
}
