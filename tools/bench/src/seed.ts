import type { Operations } from "@platform-rpc/server";
import { caller, seedCall } from "./bench-platform.ts";
import { fixtureItem } from "./http/fixture.ts";

const { tenantId, principalId } = caller;
const { kind, titleHash, encryptedPayload, wrappedKeys } = fixtureItem;

export function vaultName(index: number): string {
  return `vault-${index}`;
}

export function itemName(index: number): string {
  return `item-${index}`;
}

/** Creates vaults that the caller owns, and items with the content of the fixture, spread over the vaults. */
export async function seed(operations: Operations, size: { vaults: number; items: number }): Promise<void> {
  for (let vault = 0; vault < size.vaults; vault += 1) {
    const vaultId = vaultName(vault);
    await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, seedCall);
    await operations.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, seedCall);
  }
  const content = { tenantId, kind, titleHash, encryptedPayload, wrappedKeys, baseVersion: 0 };
  await inBatches(size.items, (item) =>
    operations.putItem({ ...content, vaultId: vaultName(item % size.vaults), itemId: itemName(item) }, seedCall),
  );
}

/** Makes a call for each index below `count`. A thousand calls at a time share their commits. */
export async function inBatches(count: number, call: (index: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at += 1000) {
    await Promise.all(Array.from({ length: Math.min(1000, count - at) }, (_, index) => call(at + index)));
  }
}
