import { deleteItemRequest, requestOf } from "../load/connection.ts";
import { itemName, vaultName } from "../platform/bench-platform.ts";

/** The number of items in the vault that is read. */
export const items = 1000;

const members = "platform.accounts.v1.MemberVaultService";

export const operationOf = {
  retry: "platform.v1.VaultService/DeleteItem",
  getItem: `${members}/GetItem`,
  listFew: `${members}/ListChanges`,
  listMany: `${members}/ListChanges`,
} as const;

export type ReadName = keyof typeof operationOf;

/** Returns the bytes of a thousand requests. The lists begin at positions that are spread over the history of the vault. */
export function requestsOf(read: ReadName, token: string): Buffer[] {
  const vaultId = vaultName(0);
  const path = `/${operationOf[read]}`;
  return Array.from({ length: items }, (_, index) => {
    if (read === "retry") return deleteItemRequest(vaultId, itemName(index), token);
    if (read === "getItem") return requestOf(path, { vaultId, itemId: itemName(index) }, token);
    const limit = read === "listFew" ? 5 : 50;
    return requestOf(path, { vaultId, afterSequence: index % (items - limit), limit, waitSeconds: 0 }, token);
  });
}
