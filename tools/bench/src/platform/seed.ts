import type { Operations } from "@platform-rpc/server/host";
import { caller, seedCall } from "./bench-platform.ts";
import { fixtureItem } from "./fixture.ts";

const { tenantId, principalId } = caller;
const { kind, titleHash, encryptedPayload, wrappedKeys } = fixtureItem;

export function vaultName(index: number): string {
  return `vault-${index}`;
}

export function itemName(index: number): string {
  return `item-${index}`;
}

/** The number of vaults, and of the items that are spread over them. */
export interface Size {
  readonly vaults: number;
  readonly items: number;
}

/** Creates vaults that the caller owns, and items with the content of the fixture, spread over the vaults. */
export async function seed(operations: Operations, { vaults, items }: Size): Promise<void> {
  await inBatches(vaults, async (vault) => {
    const vaultId = vaultName(vault);
    await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, seedCall);
    await operations.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, seedCall);
  });
  await inBatches(items, (item) => putItem(operations, vaultName(item % vaults), itemName(item)));
}

/** Creates an item with the content of the fixture. */
export async function putItem(operations: Operations, vaultId: string, itemId: string): Promise<void> {
  const content = { kind, titleHash, encryptedPayload, wrappedKeys };
  const result = await operations.putItem(
    { access: "administrator", tenantId, vaultId, itemId, ...content, baseVersion: 0 },
    seedCall,
  );
  if (!result.ok) throw new Error(`The item ${itemId} cannot be created: ${result.reason}.`);
}

/** Makes a call for each index below `count`. The calls of a batch share their commits. */
export async function inBatches(count: number, call: (index: number) => Promise<unknown>, size = 1000): Promise<void> {
  for (let at = 0; at < count; at += size) {
    await Promise.all(Array.from({ length: Math.min(size, count - at) }, (_, index) => call(at + index)));
  }
}
