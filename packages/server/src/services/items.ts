import { type DeleteItemOutcome, deleteItem, type RecordOfTombstone } from "../domain/delete-item.js";
import {
  type GetItemOutcome,
  getItem,
  type ListEarlierContentsOutcome,
  listEarlierContents,
} from "../domain/get-item.js";
import { allows, type VaultAction } from "../domain/model/bounds.js";
import { delegations } from "../domain/model/delegation.js";
import { type EarlierContent, storedEarlier } from "../domain/model/earlier-contents.js";
import { type Item, type ItemContent, itemBytes, withSequence } from "../domain/model/item.js";
import type { RecordKey } from "../domain/model/record.js";
import type { ItemSnapshot } from "../domain/model/vault.js";
import { type MoveItemOutcome, moveItem } from "../domain/move-item.js";
import { type PutItemOutcome, putItem } from "../domain/put-item.js";
import { type RestoreItemOutcome, restoreItem } from "../domain/restore-item.js";
import type { Rule } from "../domain/rule.js";
import type { Clock } from "../ports/clock.js";
import type { ChangeQuery } from "../ports/queries.js";
import type { Secrets } from "../ports/secrets.js";
import type { Committed, Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** A vault, and as whom it is accessed: as a member in the caller's own tenant, with the caller's role, or as an administrator. */
export type VaultPlace =
  | { readonly access: "member"; readonly vaultId: string }
  | { readonly access: "administrator"; readonly tenantId: string; readonly vaultId: string };

/** An item of a vault. */
export type ItemPlace = VaultPlace & { readonly itemId: string };

/** The item to delete, and the version that the caller last saw. */
export interface DeleteItemInput {
  readonly vaultId: string;
  readonly itemId: string;
  /** The version that is deleted. If the item has another one, the outcome is VERSION_CONFLICT. */
  readonly baseVersion: number;
  /** Returns a record that is created if this call deletes the item, such as a signature. Default: none. */
  readonly alsoCreated?: RecordOfTombstone | undefined;
}

/** The content of an item, and the version that it replaces. With version 0, the item is created; if its id is empty, with a generated one. */
export type PutItemInput = ItemPlace & ItemContent & { readonly baseVersion: number };

/** The item to move, and what it becomes in another vault: its content and its earlier ones, encrypted for that. */
export interface MoveItemInput extends DeleteItemInput {
  readonly to: ItemContent & { readonly vaultId: string; readonly itemId: string };
  /** The newest first. */
  readonly earlier: readonly EarlierContent[];
}

/** The tombstone to restore, and the version that the caller last saw. */
export type RestoreItemInput = ItemPlace & { readonly baseVersion: number };

/** The position to list from, and the largest number of items. */
export type ListChangesInput = VaultPlace & {
  readonly afterSequence: number;
  readonly limit: number;
  /** Bytes of JSON that the caller adds to a deleted item at most. Default: 0. */
  readonly bytesWithDeletion?: number;
};

/** One page of changes. */
export type ListChangesResult =
  | {
      readonly ok: true;
      readonly items: readonly Item[];
      /** The `afterSequence` of the next page. */
      readonly sequence: number;
      readonly hasMore: boolean;
    }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "CURSOR_AHEAD" };

/** The item with its sequence, or why nothing was changed. */
export type ItemResult<Outcome> = { readonly ok: true; readonly item: Item } | Extract<Outcome, { readonly ok: false }>;

/** The largest size of a page of changes in bytes of JSON, unless a single item is larger. */
const pageBytes = 1024 * 1024;

/** Bytes by which an item's JSON in the response may exceed its size in the storage: field names, and a time as text. */
const bytesAroundItem = 64;

/** The operations on items. */
export interface ItemOperations {
  /**
   * Applies a rule to an item as the caller sees it, or to a vault if the place names no item: for an operation that is one rule. With a
   * key, the snapshot contains that record, which the rule may write. The vault does not exist if the bounds of the caller's delegation
   * do not allow the action.
   *
   * @param rule returns the rule for the time of the call, in milliseconds since the epoch
   */
  decide<Outcome>(
    place: VaultPlace & { readonly itemId?: string; readonly record?: RecordKey },
    action: VaultAction,
    rule: (now: number) => Rule<ItemSnapshot, Outcome>,
    call: Call,
  ): Promise<Outcome>;

  /** Deletes an item in the caller's own tenant, with the caller's role (VaultService.DeleteItem). */
  deleteItem(input: DeleteItemInput, call: Call): Promise<ItemResult<DeleteItemOutcome>>;

  /** Deletes an item, and creates it in another vault of the caller's tenant: in one step. */
  moveItem(input: MoveItemInput, call: Call): Promise<ItemResult<MoveItemOutcome>>;

  /** Creates or replaces an item. */
  putItem(input: PutItemInput, call: Call): Promise<ItemResult<PutItemOutcome>>;

  /** Restores a deleted item. */
  restoreItem(input: RestoreItemInput, call: Call): Promise<ItemResult<RestoreItemOutcome>>;

  /** Reads an item or a tombstone. */
  getItem(input: ItemPlace, call: Call): Promise<GetItemOutcome>;

  /** Lists the contents of an item or a tombstone that were replaced. */
  listEarlierContents(input: ItemPlace, call: Call): Promise<ListEarlierContentsOutcome>;

  /** Lists the items that changed after a position in a vault, each once, at its newest sequence. */
  listChanges(input: ListChangesInput, call: Call): Promise<ListChangesResult>;
}

export function createItemOperations(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly trustedTime: () => number | undefined;
  readonly secrets: Pick<Secrets, "newId">;
}): ItemOperations {
  const { storage, clock, trustedTime, secrets } = deps;
  const transact = <Outcome>(
    place: VaultPlace & { readonly itemId?: string; readonly record?: RecordKey; readonly earlier?: boolean },
    action: VaultAction,
    rule: Rule<ItemSnapshot, Outcome>,
    call: Call,
  ): Promise<Committed<Outcome>> => {
    // No item has an empty id: the snapshot of a vault has none.
    const { itemId = "", record, earlier } = place;
    const ref = { kind: "item", ...vaultRef(place, call, action), itemId, record, earlier } as const;
    return storage.transact(ref, rule, { wanted: call.wanted });
  };
  return {
    async decide(place, action, rule, call) {
      return (await transact(place, action, rule(clock.now()), call)).outcome;
    },

    async deleteItem(input, call) {
      const { baseVersion, alsoCreated } = input;
      const { ref, delegationId } = deletedRef(input, call);
      const rule = deleteItem(baseVersion, call.actor, clock.now(), delegationId, alsoCreated);
      return withSequence(await storage.transact(ref, rule, { wanted: call.wanted }));
    },

    async moveItem(input, call) {
      const { baseVersion, alsoCreated, to, earlier } = input;
      const { ref, delegationId } = deletedRef(input, call);
      const { vaultId, itemId, ...content } = to;
      const created = { tenantId: ref.tenantId, vaultId, itemId };
      const now = clock.now();
      const moved = { ref: created, content, earlier: storedEarlier(earlier.map((each) => notLater(each, now))) };
      const rule = moveItem(moved, baseVersion, call.actor, now, delegationId, alsoCreated);
      const both = { ...ref, to: { ...created, principalId: readerOf(call, vaultId, "write") } };
      return withSequence(await storage.transact(both, rule, { wanted: call.wanted }));
    },

    async putItem(input, call) {
      const { access, baseVersion, kind, titleHash, encryptedPayload, wrappedKeys } = input;
      const itemId = input.itemId === "" ? secrets.newId() : input.itemId;
      const place = { ...input, itemId, earlier: baseVersion > 0 };
      const { tenantId, vaultId } = vaultRef(place, call, "write");
      const content = { kind, titleHash, encryptedPayload, wrappedKeys };
      const ref = { tenantId, vaultId, itemId };
      const rule = putItem(access, ref, content, baseVersion, call.actor, clock.now(), trustedTime());
      return withSequence(await transact(place, "write", rule, call));
    },

    async restoreItem(input, call) {
      const rule = restoreItem(input.access, input.baseVersion, call.actor, clock.now());
      return withSequence(await transact(input, "restore", rule, call));
    },

    async getItem(input, call) {
      return (await transact(input, "read", getItem(input.access), call)).outcome;
    },

    async listEarlierContents(input, call) {
      const rule = listEarlierContents(input.access, clock.now());
      return (await transact({ ...input, earlier: true }, "read", rule, call)).outcome;
    },

    listChanges(input, call) {
      const { afterSequence, limit, bytesWithDeletion } = input;
      return listChanges(storage, { ...vaultRef(input, call, "read"), afterSequence, limit }, bytesWithDeletion);
    },
  };
}

/** Lists changes in pages of at most `limit` items and at most 1 MiB of JSON. A larger item is a page on its own. */
export async function listChanges(
  storage: Pick<Storage, "listChanges">,
  query: Omit<ChangeQuery, "maxBytes">,
  bytesWithDeletion = 0,
): Promise<ListChangesResult> {
  const maxBytes = pageBytes - bytesAroundItem * (query.limit + 16);
  let page = await storage.listChanges({ ...query, maxBytes });
  const added = bytesWithDeletion * page.items.filter(({ state }) => state === "deleted").length;
  // Few pages are so long that what is added matters.
  if (added > 0 && page.items.reduce((sum, item) => sum + itemBytes(item), added) > maxBytes) {
    page = await storage.listChanges({ ...query, maxBytes: maxBytes - added });
  }
  const { vault, head, reached, items, hasMore } = page;
  if (vault === undefined) return { ok: false, reason: "VAULT_NOT_FOUND" };
  if (!reached) return { ok: false, reason: "CURSOR_AHEAD" };
  return { ok: true, items, sequence: hasMore ? (items.at(-1)?.sequence ?? head) : head, hasMore };
}

/** Returns the vault in the storage and, for a member, the principal as whom it is read. */
function vaultRef(place: VaultPlace, call: Call, action: VaultAction) {
  const { access, vaultId } = place;
  return access === "administrator"
    ? { tenantId: place.tenantId, vaultId }
    : { tenantId: call.actor.tenantId, vaultId, principalId: readerOf(call, vaultId, action) };
}

/** Returns the item to delete as it is read for a caller, and the delegation that counts its deletion. */
function deletedRef({ vaultId, itemId }: DeleteItemInput, call: Call) {
  const { tenantId, principalId: caller } = call.actor;
  const principalId = readerOf(call, vaultId, "delete");
  // Nobody's call names no record, like that of a caller without a delegation.
  const delegationId = principalId === caller ? call.delegation?.delegationId : undefined;
  const record = delegationId === undefined ? undefined : delegations.key(tenantId, delegationId);
  return { ref: { kind: "item", tenantId, vaultId, itemId, principalId, record } as const, delegationId };
}

/** No principal has an empty id. */
const nobody = "";

/**
 * Returns the principal as whom a call reads a vault. It is nobody if the bounds of the caller's delegation do not allow the action: the
 * storage then takes the same path as for a principal who is not a member, so the response and its time are the same.
 */
function readerOf({ actor, delegation }: Call, vaultId: string, action: VaultAction) {
  const allowed = delegation === undefined || allows(delegation.bounds, vaultId, action);
  return allowed ? actor.principalId : nobody;
}

/** The times are those of the caller: a content that would be replaced later would be kept for longer. */
function notLater(content: EarlierContent, now: number): EarlierContent {
  const replacedAt = Math.min(content.replacedAt, now);
  return { ...content, replacedAt, updatedAt: Math.min(content.updatedAt, replacedAt) };
}
