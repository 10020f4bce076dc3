import type { DelegationExhausted } from "../domain/delete-item.js";
import { getItem } from "../domain/get-item.js";
import { getGrant } from "../domain/manage-access.js";
import { type ChangeDelegationOutcome, changeDelegation, type DelegationChange } from "../domain/manage-delegation.js";
import { accessKeys } from "../domain/model/access.js";
import { type Delegation, delegations, hasEnded } from "../domain/model/delegation.js";
import { type Grant, grants, keyOfGrantPlace, revocations } from "../domain/model/grant.js";
import { type Item, type VersionConflict, versionConflict } from "../domain/model/item.js";
import { keyOfUse, type UseOutcome } from "../domain/model/item-use.js";
import type { RecordKey, RecordPut } from "../domain/model/record.js";
import { refreshFamilies } from "../domain/model/refresh-family.js";
import { removeAccess } from "../domain/revoke-access.js";
import {
  type ReportItemUseOutcome,
  reportItemUse,
  type UseItemOutcome,
  type UseRequest,
  useItem,
} from "../domain/use-item.js";
import type { Clock } from "../ports/clock.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { listValues } from "./list-values.js";

/** A delegation, and its new bounds. */
export type ChangeDelegationInput = { readonly delegationId: string } & DelegationChange;

/** The item whose secret is used, and for which agent. Its version is the one that the caller has decided about. */
export type UseItemInput = UseRequest;

/** What became of a use. */
export interface ReportItemUseInput {
  readonly useId: string;
  readonly outcome: UseOutcome;
}

/** The item with the count of uses, or why nothing was counted. */
export type UseItemResult =
  | (Extract<UseItemOutcome, { readonly ok: true }> & { readonly item: Item })
  | Extract<UseItemOutcome, { readonly ok: false }>
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict };

export interface DelegationDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** The operations on delegations. */
export interface DelegationOperations {
  /**
   * Lists the delegations of a principal that have not ended for good, the newest first: also those whose bounds have expired, because the
   * principal can continue them.
   */
  listDelegations(owner: { readonly tenantId: string; readonly principalId: string }): Promise<readonly Delegation[]>;

  /**
   * Changes the bounds of a delegation of the calling principal. What was used stays used. With the id of a refresh family without one, it
   * opens one: the access tokens of the family end, and those that replace them have the bounds.
   */
  changeDelegation(input: ChangeDelegationInput, call: Call): Promise<ChangeDelegationOutcome>;

  /**
   * Removes the access that the calling principal has approved, for good: a delegation, a refresh family or a grant, with its tokens.
   * Returns false if it belongs to another principal. Succeeds for an unknown id.
   */
  removeAccess(approvalId: string, call: Call): Promise<boolean>;

  /**
   * Returns the write that counts a deletion of a call, to be committed with what it deletes. None if the call has no delegation.
   *
   * @param before how many others the call makes before this one. Default: none
   */
  countDeletion(call: Call, before?: number): Promise<DeletionCount>;

  /**
   * Counts a use of an item's secret for an agent, and returns the item. The caller is a program of the person who has approved the agent.
   * An exact retry counts nothing.
   */
  useItem(input: UseItemInput, call: Call): Promise<UseItemResult>;

  /** Records in the audit trail what became of a use of the caller. The first report counts. */
  reportItemUse(input: ReportItemUseInput, call: Call): Promise<ReportItemUseOutcome>;
}

/** The write that counts a deletion, or why there is none. */
export type DeletionCount =
  | { readonly ok: true; readonly puts: readonly RecordPut[] }
  | DelegationExhausted
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" };

export function createDelegationOperations({ storage, clock }: DelegationDeps): DelegationOperations {
  return {
    async listDelegations(owner) {
      const stored = await listValues(storage, delegations, owner);
      const now = clock.now();
      return stored
        .filter(({ endedAt, expiresAt }) => endedAt === undefined && now < expiresAt)
        .sort((one, two) => two.createdAt - one.createdAt);
    },

    async changeDelegation({ delegationId, ...change }, { actor, wanted }) {
      const { tenantId } = actor;
      const ref = refOf(...[delegations, refreshFamilies].map(({ key }) => key(tenantId, delegationId)));
      const rule = changeDelegation(delegationId, change, actor, clock.now());
      return (await storage.transact(ref, rule, { wanted })).outcome;
    },

    async removeAccess(approvalId, { actor, wanted }) {
      const keys = [delegations, refreshFamilies, grants, revocations].map(({ key }) =>
        key(actor.tenantId, approvalId),
      );
      const rule = removeAccess(approvalId, actor, clock.now());
      return (await storage.transact(refOf(...keys), rule, { wanted })).outcome.ok;
    },

    async countDeletion({ actor, delegation }, before = 0) {
      if (delegation === undefined) return { ok: true, puts: [] };
      const [record] = await storage.readRecords([delegations.key(actor.tenantId, delegation.delegationId)]);
      const found = delegations.open(record);
      const now = clock.now();
      // It has ended since the call was admitted.
      if (found === undefined || hasEnded(found.value, now)) return { ok: false, reason: "VAULT_NOT_FOUND" };
      const { deletions: used, bounds } = found.value;
      const { maxDeletions: allowed = Number.POSITIVE_INFINITY } = bounds;
      if (used + before >= allowed) return { ok: false, reason: "DELEGATION_EXHAUSTED", allowed, used };
      return { ok: true, puts: [found.replace({ ...found.value, deletions: used + 1, lastDeletionAt: now })] };
    },

    async useItem(input, { actor, wanted }) {
      const { vaultId, itemId, version, tokenId } = input;
      const { tenantId, principalId } = actor;
      const place = keyOfGrantPlace(tokenId);
      const [{ outcome: found }, { outcome: grant }] = await Promise.all([
        storage.transact({ kind: "item", tenantId, principalId, vaultId, itemId }, getItem("member"), { wanted }),
        storage.transact(refOf(place), getGrant(tokenId), { wanted }),
      ]);
      if (!found.ok) return found;
      const { item } = found;
      if (item.state !== "live" || item.version !== version) return versionConflict(item, version);
      const keys = [
        keyOfUse({ ...actor, ...input }),
        // Another tenant may be stored elsewhere, and nothing of it is needed. The delegation: calls that share a budget are decided in turn.
        ...(grant?.tenantId === actor.tenantId
          ? [...accessKeys({ ...grant, tokenId }), ...keysOfDelegation(grant)]
          : []),
      ];
      const rule = useItem(grant, input, actor, clock.now());
      const { outcome } = await storage.transact(refOf(...keys), rule, { wanted });
      return outcome.ok ? { ...outcome, item } : outcome;
    },

    async reportItemUse({ useId, outcome }, { actor, wanted }) {
      const rule = reportItemUse(useId, outcome, actor, clock.now());
      return (await storage.transact(refOf(keyOfUse({ ...actor, useId })), rule, { wanted })).outcome;
    },
  };
}

function keysOfDelegation({ tenantId, delegation }: Grant): readonly RecordKey[] {
  return delegation === undefined ? [] : [delegations.key(tenantId, delegation.delegationId)];
}
