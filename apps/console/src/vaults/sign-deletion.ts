import {
  type DeletedVersion,
  type DeletionOrder,
  type DeletionProof,
  signDeletion,
} from "@platform-rpc/items/vault/deletion-proof";
import type { ConsoleSession } from "../session/session.js";

/** Signs the order to delete an item, as the person. */
export type SignDeletion = (order: DeletionOrder, version: Omit<DeletedVersion, "tenantId">) => Promise<DeletionProof>;

export function createSignDeletion({ tenantId, principalId, keys }: ConsoleSession): SignDeletion {
  const writer = { writerId: principalId, privateKey: keys.member.signingKey };
  return (order, version) => signDeletion(order, { tenantId, ...version }, writer);
}
