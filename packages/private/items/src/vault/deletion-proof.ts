import type { TrustedWriter, Writer } from "@platform-rpc/client/crypto";
import { decodeBase64url, encodeBase64url } from "../base64url.js";
import { statement } from "../unlock/statement.js";

/** An item, and the version that the person saw. */
export interface DeletedVersion {
  readonly tenantId: string;
  /** The vault that was requested: a server can misreport that of the item. */
  readonly vaultId: string;
  readonly itemId: string;
  /** The version that is deleted, or that of the tombstone that is shredded. */
  readonly baseVersion: number;
}

/** A signed order, as the server stores it with the tombstone. The signature is Ed25519, in base64url. */
export interface DeletionProof {
  readonly writerId: string;
  readonly signature: string;
}

/** Signs the order to delete an item, or to shred its tombstone: its readers need not believe the server that it was given. */
export async function signDeletion(
  order: "delete" | "shred",
  version: DeletedVersion,
  { writerId, privateKey }: Writer,
): Promise<DeletionProof> {
  const signature = await crypto.subtle.sign("Ed25519", privateKey, orderOf(order, version, writerId));
  return { writerId, signature: encodeBase64url(new Uint8Array(signature)) };
}

/** Returns the id of the writer who has given an order. Undefined if none of the writers has signed it. */
export async function signerOf(
  order: "delete" | "shred",
  version: DeletedVersion,
  { writerId, signature }: DeletionProof = { writerId: "", signature: "" },
  writers: readonly TrustedWriter[],
): Promise<string | undefined> {
  const writer = writers.find((each) => each.writerId === writerId);
  try {
    const signed = orderOf(order, version, writerId);
    const isValid =
      writer && (await crypto.subtle.verify("Ed25519", writer.publicKey, decodeBase64url(signature), signed));
    return isValid ? writerId : undefined;
  } catch {
    return undefined;
  }
}

function orderOf(order: string, { tenantId, vaultId, itemId, baseVersion }: DeletedVersion, writerId: string) {
  return statement(`${order} item`, tenantId, vaultId, itemId, baseVersion, writerId);
}
