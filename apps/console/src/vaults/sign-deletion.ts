import { type DeletedVersion, signDeletion } from "@platform-rpc/items/vault/deletion-proof";
import type { ConsoleSession } from "../session/session.js";

/** Signs the order to delete items of a vault, as the person. */
export type SignDeletions = ReturnType<typeof createSignDeletions>;

export function createSignDeletions({ tenantId, principalId, keys }: ConsoleSession) {
  const writer = { writerId: principalId, privateKey: keys.member.signingKey };
  return (
    vaultId: string,
    items: readonly Pick<DeletedVersion, "itemId" | "baseVersion">[],
    order: "delete" | "shred" = "delete",
  ) =>
    Promise.all(
      items.map(async (item) => ({
        ...item,
        proof: await signDeletion(order, { tenantId, vaultId, ...item }, writer),
      })),
    );
}
