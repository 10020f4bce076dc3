import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  delegationExhausted,
  handle,
  type ItemStatus,
  type Violation,
  versionConflict,
} from "@platform-rpc/server/host";
import type { EarlierContent, MoveItemRequest } from "@platform-rpc/types-internal/accounts";
import { rpcErrorOf } from "../contract/private-contract.js";
import { storeProof } from "./deletion-proofs.js";
import { contentIn, itemWithCursor } from "./item-fields.js";
import { largeItem, type ManyItemsDeps } from "./many-items.js";

const moveItemError = rpcErrorOf("platform.accounts.v1.MemberVaultService/MoveItem");

export function moveItemHandler({ operations, validate }: Pick<ManyItemsDeps, "operations" | "validate">) {
  return handle({
    validate,
    error: moveItemError,
    violations,
    run({ vaultId, item, toVaultId, toItem, earlier }: MoveItemRequest, call) {
      if (item === undefined || toItem === undefined) throw new TypeError("the contract requires both items");
      const { itemId, baseVersion, proof } = item;
      const alsoCreated = proof && ((deleted: ItemStatus) => storeProof(deleted, "delete", proof, deleted.updatedAt));
      const to = { vaultId: toVaultId, itemId: toItem.itemId, ...contentIn(toItem) };
      const moved = { vaultId, itemId, baseVersion, alsoCreated, to, earlier: earlier.map(earlierIn) };
      return operations.moveItem(moved, call);
    },
    answer: ({ item }) => itemWithCursor(item),
    errors: {
      VERSION_CONFLICT: versionConflict,
      DELEGATION_EXHAUSTED: (rejection) => delegationExhausted(rejection),
      DELEGATION_ENDED: () =>
        moveItemError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } }),
    },
  });
}

function violations({ vaultId, toVaultId, toItem }: MoveItemRequest): readonly Violation[] {
  const found: Violation[] = [];
  if (toVaultId === vaultId) found.push({ field: "toVaultId", description: "is the vault of the item" });
  if (toItem === undefined) return found;
  if (toItem.baseVersion !== 0) found.push({ field: "toItem.baseVersion", description: "must be 0" });
  return [...found, ...largeItem(toItem, "toItem")];
}

function earlierIn({ version, updatedAt, replacedAt, ...content }: EarlierContent) {
  if (updatedAt === undefined || replacedAt === undefined) throw new TypeError("the contract requires the times");
  return { version, updatedAt: timestampMs(updatedAt), replacedAt: timestampMs(replacedAt), ...contentIn(content) };
}
