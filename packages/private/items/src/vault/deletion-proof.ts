import type { TrustedWriter, Writer } from "@platform-rpc/client/crypto";
import { decodeBase64url, encodeBase64url } from "../base64url.js";
import { itemStatement } from "../unlock/statement.js";

/** What is ordered: to delete an item, or to destroy the content of its tombstone. */
export type DeletionOrder = "delete" | "shred";

/** An item, and the version that the person saw: the one that is deleted, or that of the tombstone. */
export interface DeletedVersion {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion: number;
}

/** A signed order, as the server stores it with the tombstone. */
export interface DeletionProof {
  readonly writerId: string;
  /** Ed25519, in base64url. */
  readonly signature: string;
}

/** A tombstone as the server reports it, but in the vault that was requested: a server can misreport that of the item. */
export interface Tombstone extends Omit<DeletedVersion, "baseVersion"> {
  readonly version: number;
}

/** What the server reports as proof of a tombstone. */
export interface DeletionProofs {
  readonly deleted?: DeletionProof | undefined;
  readonly shredded?: DeletionProof | undefined;
}

/** Signs an order, so that its readers need not believe the server that it was given. */
export async function signDeletion(
  order: DeletionOrder,
  version: DeletedVersion,
  { writerId, privateKey }: Writer,
): Promise<DeletionProof> {
  const signature = await crypto.subtle.sign("Ed25519", privateKey, signedOrder(order, version, writerId));
  return { writerId, signature: encodeBase64url(new Uint8Array(signature)) };
}

/** Returns who has verifiably ordered what became of a tombstone: the ids of writers. Undefined where none of the writers has signed it. */
export async function verifyDeletion(
  { version, ...item }: Tombstone,
  { deleted, shredded }: DeletionProofs,
  writers: readonly TrustedWriter[],
): Promise<{ readonly deleted: string | undefined; readonly shredded: string | undefined }> {
  return {
    deleted: await signerOf("delete", { ...item, baseVersion: version - 1 }, deleted, writers),
    shredded: await signerOf("shred", { ...item, baseVersion: version }, shredded, writers),
  };
}

async function signerOf(
  order: DeletionOrder,
  version: DeletedVersion,
  proof: DeletionProof | undefined,
  writers: readonly TrustedWriter[],
): Promise<string | undefined> {
  const writer = writers.find(({ writerId }) => writerId === proof?.writerId);
  if (proof === undefined || writer === undefined) return undefined;
  const { writerId, publicKey } = writer;
  try {
    const signed = signedOrder(order, version, writerId);
    const isValid = await crypto.subtle.verify("Ed25519", publicKey, decodeBase64url(proof.signature), signed);
    return isValid ? writerId : undefined;
  } catch {
    return undefined;
  }
}

function signedOrder(
  order: DeletionOrder,
  { tenantId, vaultId, itemId, baseVersion }: DeletedVersion,
  writerId: string,
): Uint8Array<ArrayBuffer> {
  return itemStatement(order, tenantId, vaultId, itemId, baseVersion, writerId);
}
