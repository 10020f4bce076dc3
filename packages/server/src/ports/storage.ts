import type { AuditSeal } from "../domain/model/audit-seal.js";
import type { ItemRef } from "../domain/model/item.js";
import type { RecordKey, StoredRecord } from "../domain/model/record.js";
import type { ItemSnapshot, MemberVault, RecordsSnapshot, VaultSnapshot } from "../domain/model/vault.js";
import type { Rule } from "../domain/rule.js";
import type {
  AuditListing,
  AuditPage,
  AuditQuery,
  ChangePage,
  ChangeQuery,
  MemberVaultQuery,
  RecordQuery,
} from "./queries.js";

/** Identifies the data that a decision needs, by its keys in the storage. */
export type Ref =
  | ({
      readonly kind: "item";
      /**
       * The principal whose role is read; the item is then loaded only if they are a member. Absent: the item is loaded
       * without a role, for operations that do not require membership.
       */
      readonly principalId?: string;
      /**
       * A record that is loaded with the item, and that the decision may write, such as a budget. The snapshot of a
       * principal who is not a member has none. Default: none.
       */
      readonly record?: RecordKey | undefined;
      /** Whether the rule may read the earlier contents of the item. Reading them without it takes longer. Default: false. */
      readonly earlier?: boolean | undefined;
      /** Another item of the same tenant that is read with it, such as the place that it moves to, and the principal for it. Default: none. */
      readonly to?: (ItemRef & { readonly principalId?: string }) | undefined;
    } & ItemRef)
  | { readonly kind: "vault"; readonly tenantId: string; readonly vaultId: string }
  | {
      readonly kind: "records";
      /** Each once. They are read first: the rule may read others, which takes longer in a storage on another machine. */
      readonly keys: readonly RecordKey[];
      /** The vault that is created with the records. */
      readonly vault?: { readonly tenantId: string; readonly vaultId: string } | undefined;
    };

/** The snapshot that is loaded for each kind of ref. */
export interface Snapshots {
  readonly item: ItemSnapshot;
  readonly vault: VaultSnapshot;
  readonly records: RecordsSnapshot;
}

/** Returns the ref of records that are read in the same decision. */
export function refOf(...keys: readonly RecordKey[]): Extract<Ref, { readonly kind: "records" }> {
  return { kind: "records", keys };
}

/** The result of a transaction. */
export interface Committed<Outcome> {
  readonly outcome: Outcome;
  /** The sequence of the decision's last change in its vault; undefined when it wrote no change. */
  readonly sequence: number | undefined;
}

/** Options of one transaction. */
export interface TransactOptions {
  /** Called just before the work begins. If it returns false, the call fails with `StorageError` "dropped". Default: always true. */
  readonly wanted?: () => boolean;
}

/** The oldest work that the jobs have not done yet. Times are in milliseconds since the epoch; undefined: there is no such work. */
export interface Backlog {
  /** When the oldest row of the audit trail that has no seal was written. */
  readonly unsealedSince: number | undefined;
  /** When the retention of a tombstone ends first, also in the future. */
  readonly shreddableFrom: number | undefined;
  /** When a record expires first, also in the future. */
  readonly expiredFrom: number | undefined;
}

/** The result of sealing audit rows. */
export interface SealedAudit {
  /** The number of rows that were sealed. */
  readonly rows: number;
  /** The newest seal; undefined if no row was sealed. */
  readonly head: Pick<AuditSeal, "position" | "trail"> | undefined;
}

/**
 * Stores all durable state. Adapters contain no rules: they load, call the decision, and commit.
 *
 * Any adapter must pass the suite in `@platform-rpc/server/testing`.
 *
 * @example
 * ```ts
 * import { createSqliteStorage, type Storage } from "@platform-rpc/server";
 *
 * const storage: Storage = createSqliteStorage({ path: ":memory:" });
 * await storage.check();
 * await storage.close();
 * ```
 */
export interface Storage {
  /**
   * Loads the snapshot that `ref` identifies, applies the rule to it (`rule(snapshot)`), and commits the returned writes
   * in one atomic step. If the snapshot has changed in between, it loads and decides again, a bounded number of times: a rule may be
   * applied more than once, and only the last decision counts. A decision never sees a part of a commit. When the promise
   * resolves, the writes are durable: they survive `kill -9` and a power cut. Calls about one
   * vault, calls about records, and calls that name the same record are decided in the order in which they were made in a turn of the
   * event loop.
   *
   * An item's `content()` and `earlier()` may be called only while the rule decides. An adapter that can read synchronously loads them
   * when they are called, so that the time of a rejection does not depend on the content. Any other adapter loads the content with the
   * snapshot, and the earlier ones if the ref says so, or else once the rule needs them.
   *
   * A `change` gets the vault's next sequence under the vault's lock: starting at 1, without gaps except those that a restored
   * backup leaves.
   * A `shred` leaves no trace of the item's content and its earlier ones in any file once the promise has resolved.
   *
   * @throws StorageError. Nothing was written, except after "unavailable", when it is unknown whether something was written. An
   * error that the rule throws rejects this call unchanged, and no other call.
   */
  transact<R extends Ref, Outcome>(
    ref: R,
    rule: Rule<Snapshots[R["kind"]], Outcome>,
    options?: TransactOptions,
  ): Promise<Committed<Outcome>>;

  /** Reads records, in the order of the keys, from one consistent view. Sees everything committed before the call. */
  readRecords(keys: readonly RecordKey[]): Promise<readonly (StoredRecord | undefined)[]>;

  /** Lists what changed in a vault after a position, from one consistent view. */
  listChanges(query: ChangeQuery): Promise<ChangePage>;

  /** Lists the vaults of a member in the order of their ids (of the bytes of the ids in UTF-8). */
  listVaults(query: MemberVaultQuery): Promise<readonly MemberVault[]>;

  /** Lists tombstones whose retention has ended at `now`, the longest overdue first. */
  listShreddable(now: number, limit: number): Promise<readonly ItemRef[]>;

  /**
   * Lists the records of a principal in the order of their keys (of the bytes of the keys in UTF-8), as stored: also those that have
   * expired and were not purged yet.
   */
  listRecords(query: RecordQuery): Promise<readonly StoredRecord[]>;

  /**
   * Removes records that expired before `expiredBefore`, in milliseconds since the epoch: at most `limit`, the longest expired first.
   * Resolves with their number; a number below `limit` means that none are left.
   */
  purge(expiredBefore: number, limit: number): Promise<number>;

  /**
   * Seals the oldest rows of the audit trail that have no seal: at most `limit`. Each row is sealed once, in the order of the commits
   * of its tenant, also when several calls are made at the same time. Fewer sealed rows than `limit` means that none are left, or
   * that another process seals them.
   */
  sealAudit(limit: number): Promise<SealedAudit>;

  /** Reads the oldest work of the jobs: from the starts of indexes, so that it may be read every minute, however much is stored. */
  readBacklog(): Promise<Backlog>;

  /**
   * Reads a page of the sealed audit trail: at most `limit` rows after a position, and the seals up to the last of them. A page that
   * was read once does not change. Rows that are not sealed yet are only counted.
   *
   * @param position 0 for the first page, then `position` of the page before.
   */
  readAudit(position: number, limit: number): Promise<AuditPage>;

  /**
   * Lists rows of the audit trail about the data of one tenant, sealed or not, the newest first. A page may have fewer rows than
   * `limit`, or none, although there are older ones: an adapter reads a bounded part of the trail for each page.
   */
  listAudit(query: AuditQuery): Promise<AuditListing>;

  /** Resolves when the storage can read and write. @throws StorageError "unavailable", "full", "damaged" or "lost". */
  check(): Promise<void>;

  /**
   * Verifies a part of the stored data, for a few milliseconds. Repeated calls verify all of it, then start again.
   * Resolves at once when the storage engine verifies its data itself.
   *
   * @throws StorageError "damaged"
   */
  verify(): Promise<void>;

  /** Finishes the queued work, then releases all resources. Later calls fail with "unavailable". */
  close(): Promise<void>;
}

/**
 * Thrown when a storage cannot do its work. `reason` says why.
 *
 * @example
 * ```ts
 * import { createSqliteStorage, StorageError } from "@platform-rpc/server";
 *
 * const storage = createSqliteStorage({ path: ":memory:" });
 * await storage.close();
 * const error = await storage.check().catch((reason) => reason);
 * console.log(error instanceof StorageError && error.reason);
 * // unavailable
 * ```
 */
export class StorageError extends Error {
  override readonly name = "StorageError";
  /** The table and the key of the damaged row, for the operator: ids, and never contents. Undefined: it is not known. */
  readonly damagedRow: string | undefined;

  /** Accepts the StorageError of every entry of this package, because each CommonJS entry contains another copy of the class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "StorageError";
  }

  constructor(
    /**
     * - `unavailable`: the storage is closed, its queue is full, or the commit failed. It is unknown whether something was written.
     * - `full`: the disk is full. Nothing was written. Reads still work, and writes work again once there is space.
     * - `damaged`: stored data differs from what was written. Reads of intact data still work; writes fail from now on.
     * - `lost`: the files were deleted or replaced, or the thread of the storage has ended. Reads and writes fail from now on.
     * - `contended`: the snapshot changed during every try. Try again.
     * - `sequence_exhausted`: the vault has used its last sequence.
     * - `dropped`: the caller no longer waits for the result; the work was not begun.
     * - `not_served`: another cell serves the tenant, or none. Nothing was written.
     * - `paused`: the tenant moves to another cell, and cannot be written to for a moment. Nothing was written.
     */
    readonly reason:
      | "unavailable"
      | "full"
      | "damaged"
      | "lost"
      | "contended"
      | "sequence_exhausted"
      | "dropped"
      | "not_served"
      | "paused",
    options: ErrorOptions & { readonly damagedRow?: string | undefined } = {},
  ) {
    super(`Storage failed: ${reason}`, options);
    this.damagedRow = options.damagedRow;
  }

  /** Whether nothing is wrong with the storage, but it refuses the tenant: `not_served` or `paused`. */
  get refusesTenant(): boolean {
    return this.reason === "not_served" || this.reason === "paused";
  }
}
