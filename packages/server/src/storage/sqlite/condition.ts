import { StorageError } from "../../ports/storage.js";
import { isSqliteError, storageErrorFrom } from "./sqlite-error.js";

/** How long an inspection holds, in milliseconds. */
const inspectionInterval = 1000;

export interface ConditionOptions {
  /** @throws StorageError "lost" */
  readonly watchFiles: () => void;
  /** @throws when the log could not be truncated. */
  readonly truncateLog: () => void;
  /** What is known to be damaged; undefined when nothing is. */
  readonly damage?: unknown;
}

/** What a storage may still do, by what has happened to it. */
export interface Condition {
  /** Inspects once a second. @throws StorageError "lost", for ever once it was. */
  mayAnswer(): void;
  /** @throws StorageError: "damaged", for ever once damage was seen; another while the last process's log stands. */
  mayWrite(): void;
  /** Inspects now. @throws StorageError as `mayAnswer` and `mayWrite` do */
  inspect(): void;
  /** Whether a write has failed since `wroteAgain`, or none was tried yet. */
  readonly suspect: boolean;
  /** A write has succeeded. */
  wroteAgain(): void;
  /** Remembers what an error shows, and returns it as the caller's failure. */
  failed(error: unknown): unknown;
}

/** Tracks the condition of a storage. Files that are lost and damage that was seen stay so while the process lives. */
export function createCondition({ watchFiles, truncateLog, damage: known }: ConditionOptions): Condition {
  let lost: unknown;
  let damage: StorageError | undefined;
  let suspect = true;
  /** A process that was killed between a commit and its truncation owes the truncation: until it is done, no more is written. */
  let owed: unknown = new StorageError("unavailable");
  let inspectedAt = Number.NEGATIVE_INFINITY;

  const failed = (error: unknown): unknown => {
    const failure = storageErrorFrom(error);
    if (!(failure instanceof StorageError)) return failure;
    if (failure.reason === "damaged") damage ??= failure;
    if (failure.reason === "lost") lost ??= failure;
    suspect ||= isSqliteError(failure.cause);
    return failure;
  };

  const look = (): void => {
    inspectedAt = performance.now();
    try {
      if (lost === undefined) watchFiles();
    } catch (error) {
      throw failed(error);
    }
    if (lost !== undefined) throw lost;
    if (owed === undefined || damage !== undefined) return;
    try {
      truncateLog();
      owed = undefined;
    } catch (error) {
      owed = failed(error);
    }
  };

  const mayWrite = (): void => {
    if (damage !== undefined) throw damage;
    if (owed !== undefined) throw owed;
  };

  failed(known);
  // A debt is paid at the start, if it can be.
  look();

  return {
    get suspect() {
      return suspect;
    },
    wroteAgain() {
      suspect = false;
    },
    failed,
    mayWrite,
    mayAnswer() {
      if (lost !== undefined || performance.now() - inspectedAt >= inspectionInterval) look();
    },
    inspect() {
      look();
      mayWrite();
    },
  };
}
