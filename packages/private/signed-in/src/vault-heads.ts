import { advanceHead, type HeadFinding, judgeHead, type VaultHead } from "@platform-rpc/items/vault/vault-head";
import type { UnlockedVaults } from "./unlocked-vaults.js";
import { type Clients, type ItemChange, listVaults } from "./vaults.js";

/** Resolves with how the complete list of a vault, tombstones included, contradicts its heads. */
type HeadCheck = (changes: Iterable<ItemChange>) => Promise<HeadFinding | undefined>;

/**
 * Prepares to compare the list of a vault with the heads that the person's devices have signed. Call it before the items are listed: a head
 * that is stored meanwhile may be of later changes. While the vault is locked, nothing is compared.
 *
 * @param stores whether a head of the list is stored. The session needs `vault.items:write`
 */
export async function prepareHeadCheck(
  { member }: Pick<Clients, "member">,
  { unlocked, vaultId, stores }: { unlocked: UnlockedVaults | undefined; vaultId: string; stores: boolean },
  signal: AbortSignal,
): Promise<HeadCheck> {
  if (!unlocked?.has(vaultId)) return async () => undefined;
  const vault = (await listVaults({ member }, signal)).find((listed) => listed.vaultId === vaultId);
  const keys = unlocked.headKeysOf(vaultId);
  const seen = await keys.memory.read();
  return async (changes) => {
    const all = [...changes];
    const versions = new Map(all.map(({ item }) => [item.itemId, item.version]));
    const sequence = all.reduce((newest, change) => Math.max(newest, change.sequence), 0);
    const listed = { tenantId: keys.tenantId, vaultId, sequence, versions };
    const memory = { ...keys.memory, read: async () => seen };
    const finding = await judgeHead(vault?.head, listed, keys.writers, memory);
    if (finding !== undefined || !stores || vault === undefined || vault.role === "viewer") return finding;
    const put = (head: VaultHead) => member.putVaultHead({ vaultId, head }, { signal, timeoutMs: 5_000 });
    // The list is complete. If its head cannot be stored, the next one is.
    await advanceHead(listed, { ...keys, head: vault.head }, put).catch(() => undefined);
    return undefined;
  };
}
