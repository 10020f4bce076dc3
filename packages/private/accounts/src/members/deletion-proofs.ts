import type { Operations } from "@platform-rpc/server";
import { defineCollection, type Item, type ItemRef } from "@platform-rpc/server/host";
import * as z from "zod";

const storedProof = z.object({
  tenantId: z.string(),
  vaultId: z.string(),
  itemId: z.string(),
  /** The version of the tombstone: another deletion of the item has another one. */
  version: z.number(),
  order: z.enum(["delete", "shred"]),
  writerId: z.string(),
  signature: z.string(),
});

type StoredProof = z.infer<typeof storedProof>;
type Tombstone = ItemRef & Pick<Item, "version">;

/** Signed orders to delete, which the server cannot verify. One of a tombstone that was restored is never read again. */
const deletionProofs = defineCollection<StoredProof>("deletion-proof", {
  schema: storedProof.parse,
  keyOf: (proof) => ({ tenantId: proof.tenantId, key: keyOf(proof, proof.order) }),
  immutable: true,
});

/** The most bytes of JSON that the proofs of an item have in a response. */
export const bytesOfProofs = 640;

/** Returns the write that stores the proof of a tombstone. Commit it with what it proves. */
export function storeProof(
  { tenantId, vaultId, itemId, version }: Tombstone,
  order: StoredProof["order"],
  { writerId, signature }: Pick<StoredProof, "writerId" | "signature">,
  now: number,
) {
  return deletionProofs.create({ tenantId, vaultId, itemId, version, order, writerId, signature }, now);
}

/** Reads the proofs of items, in their order: undefined for one that is not deleted. */
export async function readProofs(own: Pick<Operations, "getRecords">, items: readonly Item[]) {
  const tombstones = items.filter(({ state }) => state !== "live");
  const keys = tombstones.flatMap((item) => [keyOf(item, "delete"), keyOf(item, "shred")]);
  const tenantId = tombstones[0]?.tenantId ?? "";
  const stored = keys.length === 0 ? [] : await own.getRecords(keys.map((key) => deletionProofs.key(tenantId, key)));
  const proofs = new Map(keys.map((key, index) => [key, deletionProofs.read(stored[index])]));
  return items.map((item) => {
    if (item.state === "live") return undefined;
    return { deleted: proofs.get(keyOf(item, "delete")), shredded: proofs.get(keyOf(item, "shred")) };
  });
}

/** No id contains a slash. */
function keyOf({ vaultId, itemId, version }: Omit<Tombstone, "tenantId">, order: string): string {
  return `${vaultId}/${itemId}/${version}/${order}`;
}
