import type { DelegationExhausted } from "../domain/delete-item.js";
import {
  type ChangeDelegationOutcome,
  changeDelegation,
  type DelegationChange,
  endDelegation,
} from "../domain/manage-delegation.js";
import { type Delegation, delegations, hasEnded } from "../domain/model/delegation.js";
import { grants } from "../domain/model/grant.js";
import type { RecordPut } from "../domain/model/record.js";
import { refreshFamilies } from "../domain/model/refresh-family.js";
import type { Clock } from "../ports/clock.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { listValues } from "./list-values.js";
import type { AccessOperations } from "./manage-access.js";
import type { RefreshOperations } from "./refresh-family.js";

/** A delegation, with what its newest tokens say. */
export interface ListedDelegation extends Delegation {
  readonly scopes: readonly string[];
  /** The RFC 7638 thumbprint of the key of the device that has the tokens; empty without such a key. */
  readonly popKeyId: string;
  /** Whether its tokens can be renewed. */
  readonly renewable: boolean;
  /** When it was last used to delete an item or to get tokens, in milliseconds since the epoch. */
  readonly lastUsedAt: number;
}

/** A delegation, and its new bounds. */
export type ChangeDelegationInput = { readonly delegationId: string } & DelegationChange;

export interface DelegationDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly listRefreshFamilies: RefreshOperations["listRefreshFamilies"];
  readonly listGrants: AccessOperations["listGrants"];
}

/** The operations on delegations. */
export interface DelegationOperations {
  /**
   * Lists the delegations of a principal whose tokens are valid or can be renewed, the newest first. One that can be renewed is listed also
   * after its time is over, because the principal can continue it.
   */
  listDelegations(owner: {
    readonly tenantId: string;
    readonly principalId: string;
  }): Promise<readonly ListedDelegation[]>;

  /**
   * Changes the bounds of a delegation of the calling principal. What was used stays used. With the id of a refresh family without one, it
   * opens one: the access tokens of the family end, and those that replace them have the bounds.
   */
  changeDelegation(input: ChangeDelegationInput, call: Call): Promise<ChangeDelegationOutcome>;

  /**
   * Ends a delegation of the calling principal for good, with its refresh family and its tokens. Returns false if it belongs to another
   * principal. Succeeds for an unknown one.
   */
  endDelegation(delegationId: string, call: Call): Promise<boolean>;

  /**
   * Returns the write that counts a deletion of a call, to be committed with what it deletes. None if the call has no delegation.
   *
   * @param before how many others the call makes before this one. Default: none
   */
  countDeletion(call: Call, before?: number): Promise<DeletionCount>;
}

/** The write that counts a deletion, or why there is none. */
export type DeletionCount =
  | { readonly ok: true; readonly puts: readonly RecordPut[] }
  | DelegationExhausted
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" };

export function createDelegationOperations(deps: DelegationDeps): DelegationOperations {
  const { storage, clock, listRefreshFamilies, listGrants } = deps;
  return {
    async listDelegations(owner) {
      const [stored, families, granted] = await Promise.all([
        listValues(storage, delegations, owner),
        listRefreshFamilies(owner),
        listGrants(owner),
      ]);
      const familyOf = new Map(families.map((family) => [family.familyId, family]));
      // The newest grant comes first.
      const grantOf = new Map(granted.toReversed().map((grant) => [grant.delegation?.delegationId, grant]));
      const listed = stored.flatMap((delegation): readonly ListedDelegation[] => {
        const { delegationId, endedAt, lastDeletionAt = 0 } = delegation;
        const family = familyOf.get(delegationId);
        const grant = family?.newestGrant ?? grantOf.get(delegationId);
        if (grant === undefined || endedAt !== undefined) return [];
        const { scopes, popKeyId, issuedAt } = grant;
        const lastUsedAt = Math.max(lastDeletionAt, family?.rotatedAt ?? 1000 * issuedAt);
        return [{ ...delegation, scopes, popKeyId, renewable: family !== undefined, lastUsedAt }];
      });
      return listed.sort((one, two) => two.createdAt - one.createdAt);
    },

    async changeDelegation({ delegationId, ...change }, { actor, wanted }) {
      const { tenantId } = actor;
      const ref = refOf(...[delegations, refreshFamilies].map(({ key }) => key(tenantId, delegationId)));
      const rule = changeDelegation(delegationId, change, actor, clock.now());
      return (await storage.transact(ref, rule, { wanted })).outcome;
    },

    async endDelegation(delegationId, { actor, wanted }) {
      const { tenantId } = actor;
      const keys = [delegations, refreshFamilies, grants].map(({ key }) => key(tenantId, delegationId));
      const rule = endDelegation(delegationId, actor, clock.now());
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
  };
}
