import { type DeletedVersion, signDeletion } from "@platform-rpc/items/vault/deletion-proof";
import type { ConsoleSession } from "../session/session.js";

/** Signs the order to delete items of a vault, as the person. */
export type SignDeletions = ReturnType<typeof createSignDeletions>;

export function createSignDeletions({ tenantId, principalId, keys }: ConsoleSession) {
  const writer = { writerId: principalId, privateKey: keys.member.signingKey };
  type Items = readonly Pick<DeletedVersion, "itemId" | "baseVersion">[];
  return (vaultId: string, items: Items, order: "delete" | "shred" = "delete") => {
    const sign = (item: Items[number]) => signDeletion(order, { tenantId, vaultId, ...item }, writer);
    return Promise.all(items.map(async (item) => ({ ...item, proof: await sign(item) })));
  };
}
