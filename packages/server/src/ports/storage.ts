import type { AccessState } from "../domain/access.js";
import type { KeysSnapshot } from "../domain/bound-keys.js";
import type { ClockSnapshot } from "../domain/clock-agreement.js";
import type { Decision } from "../domain/decision.js";
import type { DeviceCodeSnapshot, StartSnapshot, UserCodeSnapshot } from "../domain/device-authorization.js";
import type { TokenSnapshot } from "../domain/grant.js";
import type { Item, ItemRef } from "../domain/item.js";
import type { ItemSnapshot, Vault, VaultSnapshot } from "../domain/vault.js";

/** Names what a decision needs to know, by the keys under which it is kept. */
export type Ref =
  | ({
      readonly kind: "item";
      /**
       * Whose role is read: the item is then loaded only for a member. Absent: the item is loaded, and no role; for
       * operations that are not bound to membership.
       */
      readonly principalId?: string;
    } & ItemRef)
  | { readonly kind: "vault"; readonly tenantId: string; readonly vaultId: string }
  | { readonly kind: "deviceCode"; readonly deviceCodeHash: string }
  | {
      readonly kind: "userCode";
      readonly userCodeHash: string;
      /** Who asks. */
      readonly tenantId: string;
      readonly principalId: string;
    }
  | {
      readonly kind: "start";
      readonly userCodeHash: string;
      readonly tenantId: string;
      readonly oauthClientId: string;
    }
  | { readonly kind: "token"; readonly tokenId: string }
  /** The last reading of the clocks. */
  | { readonly kind: "clock" }
  /** Which keys the storage was last used with. */
  | { readonly kind: "keys" }
  /** For what depends on nothing. */
  | { readonly kind: "nothing" };

/** What is loaded for each kind of ref. */
export interface Snapshots {
  readonly item: ItemSnapshot;
  readonly vault: VaultSnapshot;
  readonly deviceCode: DeviceCodeSnapshot;
  readonly userCode: UserCodeSnapshot;
  readonly start: StartSnapshot;
  readonly token: TokenSnapshot;
  readonly clock: ClockSnapshot;
  readonly keys: KeysSnapshot;
  readonly nothing: undefined;
}

/** What a transaction came to. */
export interface Committed<Outcome> {
  readonly outcome: Outcome;
  /** The position that the decision's change got in its vault's history; undefined when it wrote no change. */
  readonly sequence: number | undefined;
}

/** Options of one transaction. */
export interface TransactOptions {
  /** Asked just before the work begins: false drops it, as `StorageError` "dropped". Default: always wanted. */
  readonly wanted?: () => boolean;
}

/** Whom a token names, for the question how they stand now. */
export interface AccessRef {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  readonly tokenId: string;
  /** Empty: the token belongs to no grant of ours. */
  readonly grantId: string;
}

/** One page of a vault's changes. */
export interface ChangePage {
  readonly vault: Vault | undefined;
  /** The position of the vault's newest change; 0 when there is none. */
  readonly head: number;
  /** Whether the history has come to the position asked for. False beyond the head, and where a restored backup skipped. */
  readonly reached: boolean;
  /** Each changed item once, at its newest sequence, in the order of sequences. */
  readonly items: readonly Item[];
  /** Whether items follow the last one of this page. */
  readonly hasMore: boolean;
}

/** Which changes of a vault are wanted, and how many. */
export interface ChangeQuery {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly afterSequence: number;
  /** Items, 1 or more. */
  readonly limit: number;
  /**
   * Bytes of all items together, each as `JSON.stringify` prints it. The first item is listed whatever its size.
   * Default: no bound.
   */
  readonly maxBytes?: number;
}

/**
 * Where everything durable is kept. Adapters hold no rules: they load, let the rules decide, and commit.
 *
 * Any adapter must pass the suite in `@platform-rpc/server/testing`.
 */
export interface Storage {
  /**
   * Loads the snapshot that `ref` names, calls the pure, synchronous `decide` on it, and commits what it returns in one
   * atomic step. When the snapshot has moved in between, it loads and decides again, a bounded number of times: `decide`
   * may be called more than once, and only the last call counts. A decision sees what was committed before it, and
   * never half of it. When the promise resolves, the writes are durable: they survive `kill -9` and a power cut. Calls
   * that are made in one turn of the event loop are decided in the order in which they were made.
   *
   * An item's `content()` works while `decide` runs, and only then. An adapter that can read within a decision loads the
   * content at that moment, so that a refusal takes the same time whatever the item contains; one that cannot loads it
   * with the snapshot.
   *
   * A `change` gets the vault's next sequence under the vault's lock: from 1, without gaps.
   * A `shred` leaves no trace of the item's earlier content in any file once the promise has resolved.
   *
   * @throws StorageError: nothing was written, or (only "unavailable") it is not known whether anything was. What
   * `decide` throws rejects its own call, as it is, and no other.
   */
  transact<R extends Ref, Outcome>(
    ref: R,
    decide: (snapshot: Snapshots[R["kind"]]) => Decision<Outcome>,
    options?: TransactOptions,
  ): Promise<Committed<Outcome>>;

  /** How those whom a token names stand now. Sees everything committed before the call. */
  readAccess(ref: AccessRef): Promise<AccessState>;

  /** What changed in a vault after a position. One consistent view. */
  listChanges(query: ChangeQuery): Promise<ChangePage>;

  /** Tombstones whose retention has ended at `now`, the longest overdue first. */
  listShreddable(now: number, limit: number): Promise<readonly ItemRef[]>;

  /** Resolves when the storage can read and write. @throws StorageError "unavailable", "full", "damaged" or "lost". */
  check(): Promise<void>;

  /**
   * Verifies a part of what is stored, for a few milliseconds: call by call all of it, and then again from the start.
   * A storage whose engine does so by itself resolves at once.
   *
   * @throws StorageError "damaged"
   */
  verify(): Promise<void>;

  /** Finishes what is queued, then lets go of everything. Later calls fail as "unavailable". */
  close(): Promise<void>;
}

/** Why a storage could not do its work. */
export class StorageError extends Error {
  override readonly name = "StorageError";

  constructor(
    /**
     * - `unavailable`: the storage is closed, its queue is full, or the commit failed.
     * - `full`: the disk has no room. Nothing was written; reads go on, and writes do when there is room again.
     * - `damaged`: what is stored is not what was written. Reads of what is sound go on, and nothing is written any more.
     * - `lost`: the files are gone, or replaced by others. Nothing is answered any more.
     * - `contended`: the snapshot kept moving; try again.
     * - `sequence_exhausted`: the vault has used its last sequence.
     * - `dropped`: nobody waits for the answer any more; the work was not begun.
     */
    readonly reason: "unavailable" | "full" | "damaged" | "lost" | "contended" | "sequence_exhausted" | "dropped",
    options?: ErrorOptions,
  ) {
    super(`Storage failed: ${reason}`, options);
  }
}
