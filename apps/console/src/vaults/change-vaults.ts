import { isPlatformError } from "@platform-rpc/client";
import { createVaultKey, sealVaultName, type VaultKey, wrapVaultKey } from "@platform-rpc/client/crypto";
import { openKeyOf } from "@platform-rpc/items/vault/vault-key";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import type { Members } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "./own-vault.js";
import { rememberName } from "./seen-names.js";

/** The epoch of the first key of a vault. */
const epoch = 1;

/** Creates, names and deletes vaults of the person. Keys and names are made here: the server gets neither. */
export function createVaultChanges({ tenantId, principalId, keys }: ConsoleSession, members: Members) {
  const { member: memberKeys } = keys;

  async function newKey(vaultId: string): Promise<{ readonly vaultKey: VaultKey; readonly key: NewKey }> {
    const vaultKey = await createVaultKey();
    const keyId = crypto.randomUUID();
    const place = { wrappingKey: memberKeys.wrappingKey, accountId: principalId, vaultId, keyId, epoch };
    return { vaultKey, key: { keyId, wrappedKey: await wrapVaultKey(vaultKey, place) } };
  }

  return {
    /** Creates a vault. Resolves with its id. */
    async create(name: string): Promise<string> {
      const vaultId = crypto.randomUUID();
      const { vaultKey, key } = await newKey(vaultId);
      const encryptedName = await sealVaultName(name, { vaultKey, tenantId, vaultId, epoch, revision: 1 });
      await inWords(members.createVault({ vaultId, key, encryptedName }));
      return vaultId;
    },

    async rename({ vaultId, key, revision }: OwnVault, name: string): Promise<void> {
      const vaultKey = await openKeyOf({ vaultId, key, boundTo: principalId, wrappingKey: memberKeys?.wrappingKey });
      const place = { vaultKey, tenantId, vaultId, epoch: key?.epoch ?? epoch, revision: revision + 1 };
      await inWords(members.renameVault({ vaultId, revision, encryptedName: await sealVaultName(name, place) }));
      await rememberName(`${principalId}/${vaultId}`, place.revision);
    },

    /** Deletes a vault and its items. Resolves with the number of items. */
    async remove({ vaultId }: OwnVault): Promise<number> {
      const { deletedItems } = await members.deleteVault({ vaultId, deleteItems: true }, { timeoutMs: 120_000 });
      return deletedItems;
    },

    /**
     * Gives the personal vault of the person a key, if it has none and they are its owner. Resolves with the vaults as they are then. If
     * it fails, the vault works without a key, and gets one later.
     */
    async withPersonalKey(vaults: readonly MemberVault[]): Promise<readonly MemberVault[]> {
      const personal = vaults.find(({ vaultId }) => vaultId === principalId);
      if (personal?.role !== "owner" || personal.key !== undefined) return vaults;
      try {
        const { key } = await members.createVaultKey({ key: (await newKey(principalId)).key });
        return vaults.map((vault) => (vault === personal ? { ...vault, key } : vault));
      } catch {
        return vaults;
      }
    },
  };
}

/** What a person reads of errors that only these operations have. */
const words: ReadonlyMap<string | undefined, string> = new Map([
  ["TOO_MANY_VAULTS", "You have 50 vaults, and can have no more. Delete one that you do not need."],
  ["VAULT_CHANGED", "Someone changed this vault first. Look at its name, and try again."],
]);

async function inWords<Response>(calling: Promise<Response>): Promise<Response> {
  try {
    return await calling;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const message = isPlatformError(cause) ? words.get(cause.reason) : undefined;
    throw message === undefined ? error : new Error(message);
  }
}

interface NewKey {
  readonly keyId: string;
  readonly wrappedKey: string;
}
