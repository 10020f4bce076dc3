import { defineCollection, type Item, type ItemRef, type Operations } from "@platform-rpc/server/host";
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

/** A signature that the server cannot verify, and who has made it. */
export type Proof = Pick<StoredProof, "writerId" | "signature">;

/** A tombstone, and what was ordered. */
type Ordered = Omit<StoredProof, keyof Proof>;

/** Signed orders to delete. One of a tombstone that was restored is never read again: no other version has its key. */
const deletionProofs = defineCollection<StoredProof>("deletion-proof", {
  schema: storedProof.parse,
  keyOf: (proof) => ({ tenantId: proof.tenantId, key: keyOf(proof) }),
  immutable: true,
});

/** The most bytes of JSON that the proofs of an item have in a response. */
export const bytesOfProofs = 640;

/** Returns the write that stores the proof of a tombstone. Commit it with what it proves. */
export function storeProof(
  { tenantId, vaultId, itemId, version }: ItemRef & Pick<Item, "version">,
  order: Ordered["order"],
  { writerId, signature }: Proof,
  now: number,
) {
  return deletionProofs.create({ tenantId, vaultId, itemId, version, order, writerId, signature }, now);
}

/** Creates a function that reads the proofs of items: undefined for one that is not deleted. */
export function createReadProofs(own: Pick<Operations, "getRecords">) {
  return async (items: readonly Item[]) => {
    const orders = ["delete", "shred"] as const;
    const tombstones = items.filter(({ state }) => state !== "live");
    const keys = tombstones.flatMap((item) => orders.map((order) => ({ ...item, order })));
    const found = await own.getRecords(keys.map((ordered) => deletionProofs.key(ordered.tenantId, keyOf(ordered))));
    const proofs = new Map(
      tombstones.map((item, index) => {
        const [deleted, shredded] = orders.map((_, at) => proofIn(deletionProofs.read(found[2 * index + at])));
        return [item, { ...(deleted && { deleted }), ...(shredded && { shredded }) }];
      }),
    );
    return items.map((item) => proofs.get(item));
  };
}

function proofIn(stored: StoredProof | undefined): Proof | undefined {
  return stored && { writerId: stored.writerId, signature: stored.signature };
}

/** No id contains a slash. */
function keyOf({ vaultId, itemId, version, order }: Omit<Ordered, "tenantId">): string {
  return `${vaultId}/${itemId}/${version}/${order}`;
}
