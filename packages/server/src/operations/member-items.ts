import type { VaultAction } from "../domain/bounds.js";
import type { GetItemOutcome } from "../domain/get-item.js";
import type { Item, ItemContent } from "../domain/item.js";
import { getItemAsMember, putItemAsMember, type RoleRejection, restoreItemAsMember } from "../domain/member-items.js";
import type { PutItemOutcome } from "../domain/put-item.js";
import type { RestoreItemOutcome } from "../domain/restore-item.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { readerOf } from "./reader.js";
import { withSequence } from "./with-sequence.js";

/** Identifies an item in a vault of the caller's tenant. */
export interface MemberItemRef {
  readonly vaultId: string;
  readonly itemId: string;
}

/** The content of an item, and the version it replaces. */
export interface PutItemAsMemberInput extends MemberItemRef, ItemContent {
  /** The version to replace. 0 creates the item, with a generated id if `itemId` is empty. */
  readonly baseVersion: number;
}

/** Identifies the tombstone and the version the caller last saw. */
export interface RestoreItemAsMemberInput extends MemberItemRef {
  readonly baseVersion: number;
}

/** The stored item, or why it was not stored. */
export type PutItemAsMemberResult =
  | { readonly ok: true; readonly item: Item }
  | Extract<PutItemOutcome, { ok: false }>
  | RoleRejection;

/** The restored item, or why it was not restored. */
export type RestoreItemAsMemberResult =
  | { readonly ok: true; readonly item: Item }
  | Extract<RestoreItemOutcome, { ok: false }>
  | RoleRejection;

/** Reads an item or a tombstone in a vault of which the caller is a member. */
export function createGetItemAsMember({ storage }: { storage: Storage }) {
  return async (input: MemberItemRef, call: Call): Promise<GetItemOutcome> => {
    const { wanted } = call;
    const { outcome } = await storage.transact(refOf(input, call, "read"), getItemAsMember(), { wanted });
    return outcome;
  };
}

/** Creates or replaces an item, with the caller's role. */
export function createPutItemAsMember(deps: { storage: Storage; clock: Clock; secrets: Secrets }) {
  const { storage, clock, secrets } = deps;
  return async (input: PutItemAsMemberInput, call: Call): Promise<PutItemAsMemberResult> => {
    const { actor, wanted } = call;
    const { vaultId, itemId: named, baseVersion, ...content } = input;
    const itemId = named === "" ? secrets.newId() : named;
    const ref = { tenantId: actor.tenantId, vaultId, itemId };
    const rule = putItemAsMember(ref, content, baseVersion, actor, clock.now());
    return withSequence(await storage.transact(refOf(ref, call, "write"), rule, { wanted }));
  };
}

/** Restores a deleted item, with the caller's role. */
export function createRestoreItemAsMember({ storage, clock }: { storage: Storage; clock: Clock }) {
  return async (input: RestoreItemAsMemberInput, call: Call): Promise<RestoreItemAsMemberResult> => {
    const { actor, wanted } = call;
    const rule = restoreItemAsMember(input.baseVersion, actor, clock.now());
    return withSequence(await storage.transact(refOf(input, call, "restore"), rule, { wanted }));
  };
}

function refOf({ vaultId, itemId }: MemberItemRef, call: Call, action: VaultAction) {
  const principalId = readerOf(call, vaultId, action);
  return { kind: "item", tenantId: call.actor.tenantId, vaultId, itemId, principalId } as const;
}
