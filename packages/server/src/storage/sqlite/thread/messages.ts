import type { DatabaseHistory } from "../../../domain/history.js";
import type { RecordKey } from "../../../domain/record.js";
import type { AuditQuery, ChangeQuery, MemberVaultQuery, RecordQuery } from "../../../ports/queries.js";
import type { Ref } from "../../../ports/storage.js";
import type { SqliteStorageOptions } from "../create-sqlite-storage.js";
import type { ErrorData, ReceivedError } from "./error-data.js";

/** The data with which the storage's thread is started. */
export interface StorageThreadData {
  readonly options: SqliteStorageOptions;
  /** The memory in which the thread records its figures. */
  readonly figures: SharedArrayBuffer;
}

/**
 * A transaction, as data. As received, `ref` and `args` have the type `never`, which fits every rule: the compiler has checked
 * them against the rule where the call was made.
 */
interface TransactCall<R, Arg> {
  readonly method: "transact";
  readonly ref: R;
  /** The name of the rule. */
  readonly rule: string;
  readonly args: readonly Arg[];
}

/** A call of any other method of the storage. */
type OtherCall =
  | { readonly method: "readRecords"; readonly keys: readonly RecordKey[] }
  | { readonly method: "listChanges"; readonly query: ChangeQuery }
  | { readonly method: "listVaults"; readonly query: MemberVaultQuery }
  | { readonly method: "listShreddable"; readonly now: number; readonly limit: number }
  | { readonly method: "listRecords"; readonly query: RecordQuery }
  | { readonly method: "purge"; readonly expiredBefore: number; readonly limit: number }
  | { readonly method: "sealAudit"; readonly limit: number }
  | { readonly method: "readAudit"; readonly position: number; readonly limit: number }
  | { readonly method: "listAudit"; readonly query: AuditQuery }
  | { readonly method: "readBacklog" | "check" | "verify" | "close" }
  | { readonly method: "backUp"; readonly path: string }
  | { readonly method: "readHistory"; readonly known: DatabaseHistory | undefined }
  /** Aborts the signal of another call, by its id. */
  | { readonly method: "abort"; readonly id: number };

/** A call that is sent to the storage's thread. */
export type SentCall = TransactCall<Ref, unknown> | OtherCall;

/** Calls of the storage that were made together. They are performed in order. */
export type ReceivedCalls = readonly {
  readonly id: number;
  readonly call: TransactCall<never, never> | OtherCall;
}[];

/** The id under which the thread reports that the storage is open, or why it cannot be opened. */
export const openingId = 0;

/** The result of a call. */
export type Answer<Value, Data> =
  | { readonly id: number; readonly value: Value; readonly error?: undefined }
  | { readonly id: number; readonly error: Data };

export type SentAnswer = Answer<unknown, ErrorData>;

/** `value` has the type `never`, because only the caller knows its type. */
export type ReceivedAnswer = Answer<never, ReceivedError>;
