import type { Operations } from "@platform-rpc/server";
import {
  type CountMore,
  type CreateError,
  cursorMessage,
  handle,
  type Item,
  type ItemStatus,
  itemMessage,
  type RequestValidator,
  type VersionConflict,
  type Violation,
} from "@platform-rpc/server/host";
import type {
  DeleteItemsRequest,
  ItemToDelete,
  ItemToPut,
  PutItemsRequest,
} from "@platform-rpc/types-internal/accounts";
import { storeProof } from "./deletion-proofs.js";
import { contentIn } from "./item-fields.js";

export interface ManyItemsDeps {
  readonly operations: Operations;
  readonly validate: RequestValidator;
  readonly countMore: CountMore;
}

/** The largest item, in bytes of JSON: the largest body of PutItem. */
const mostBytes = 64 * 1024;

export function putItemsHandler(
  { operations, validate, countMore }: ManyItemsDeps,
  error: CreateError<"VAULT_NOT_FOUND" | "ROLE_FORBIDS_CHANGE">,
) {
  return handle({
    validate,
    error,
    violations: ({ items }: PutItemsRequest) => [...repeatedIds(items), ...largeItems(items)],
    async run({ vaultId, items }: PutItemsRequest, call) {
      await countMore(call, items.length - 1);
      const results = await allDecided(
        items.map((item) => {
          const { itemId, baseVersion } = item;
          return operations.putItem({ access: "member", vaultId, itemId, baseVersion, ...contentIn(item) }, call);
        }),
      );
      return outcomesOf(results, ["VAULT_NOT_FOUND", "ROLE_FORBIDS_CHANGE"]);
    },
    answer: ({ outcomes }) => ({ outcomes }),
  });
}

export function deleteItemsHandler(
  { operations, validate, countMore }: ManyItemsDeps,
  error: CreateError<"VAULT_NOT_FOUND" | "ROLE_FORBIDS_DELETE" | "UNAUTHENTICATED">,
) {
  return handle({
    validate,
    error,
    violations: ({ items }: DeleteItemsRequest) => repeatedIds(items),
    async run({ vaultId, items }: DeleteItemsRequest, call) {
      await countMore(call, items.length - 1);
      const decide = ({ itemId, baseVersion, proof }: ItemToDelete) => {
        const alsoCreated = proof && ((deleted: ItemStatus) => storeProof(deleted, "delete", proof, deleted.updatedAt));
        return operations.deleteItem({ vaultId, itemId, baseVersion, alsoCreated }, call);
      };
      // If the budget of a delegation ends, the first items are deleted, and not any of them.
      const results = call.delegation === undefined ? await allDecided(items.map(decide)) : await inTurn(items, decide);
      return outcomesOf(results, ["VAULT_NOT_FOUND", "ROLE_FORBIDS_DELETE", "DELEGATION_ENDED"]);
    },
    answer: ({ outcomes }) => ({ outcomes }),
    errors: {
      DELEGATION_ENDED: () =>
        error("UNAUTHENTICATED", { headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } }),
    },
  });
}

/** Waits until every item is decided, also if one fails: then the call has no effect after its response. */
async function allDecided<Result>(deciding: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(deciding);
  return Promise.all(deciding);
}

async function inTurn<Item, Result>(items: readonly Item[], decide: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (const item of items) results.push(await decide(item));
  return results;
}

/** Returns the violations of items with the id of an earlier one. */
function repeatedIds(items: readonly { readonly itemId: string }[]): readonly Violation[] {
  const first = new Map<string, number>();
  return items.flatMap(({ itemId }, index) => {
    const earlier = first.get(itemId);
    if (earlier === undefined) first.set(itemId, index);
    return earlier === undefined
      ? []
      : [{ field: `items[${index}].itemId`, description: `is the id of items[${earlier}], too` }];
  });
}

/** Returns the violations of items that PutItem would not accept. */
function largeItems(items: readonly ItemToPut[]): readonly Violation[] {
  return items.flatMap((item, index) => largeItem(item, `items[${index}]`));
}

/** Returns the violation of an item that PutItem would not accept. */
export function largeItem(item: ItemToPut, field: string): readonly Violation[] {
  const bytes = Buffer.byteLength(JSON.stringify(item, withoutTypeNames));
  return bytes > mostBytes ? [{ field, description: "is larger than 64 KiB" }] : [];
}

function withoutTypeNames(key: string, value: unknown): unknown {
  return key.startsWith("$") ? undefined : value;
}

type Result =
  | { readonly ok: true; readonly item: Item }
  | { readonly ok: false; readonly reason: string; readonly conflict?: VersionConflict };

/** Returns the outcome of each item, or the rejection of all of them: one whose reason is not about the item. */
function outcomesOf<Reason extends string>(results: readonly Result[], ofVault: readonly Reason[]) {
  for (const result of results) {
    const reason = result.ok ? undefined : ofVault.find((each) => each === result.reason);
    if (reason !== undefined) return { ok: false, reason } as const;
  }
  return { ok: true, outcomes: results.map(outcomeMessage) } as const;
}

function outcomeMessage(result: Result) {
  if (result.ok) {
    const { item } = result;
    return { item: itemMessage(item), cursor: cursorMessage(item.vaultId, item.sequence), reason: "" };
  }
  const { reason, conflict } = result;
  if (conflict === undefined) return { reason };
  const { vaultId, sequence, ...versions } = conflict;
  return { reason, conflict: { ...versions, cursor: cursorMessage(vaultId, sequence) } };
}
