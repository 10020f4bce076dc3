import { StorageError } from "../../ports/storage.js";
import { isSqliteError, storageErrorFrom } from "./database/sqlite-error.js";

/** The interval between inspections, in milliseconds. */
const inspectionInterval = 1000;

export interface ConditionOptions {
  /** @throws StorageError "lost" */
  readonly watchFiles: () => void;
  /** @throws when the log could not be truncated. */
  readonly truncateLog: () => void;
  /** Called when a write was refused because the disk is full. */
  readonly onFull?: () => void;
  /** The error that shows known damage of the database; undefined if none is known. */
  readonly damage?: unknown;
}

/** Tracks whether a storage may still read and write. */
export interface Condition {
  /** Inspects at most once a second. @throws StorageError "lost", permanently once the files were lost. */
  mayAnswer(): void;
  /** @throws StorageError "damaged", permanently once damage was found; another error until the earlier log is truncated. */
  mayWrite(): void;
  /** Inspects now. @throws StorageError as `mayAnswer` and `mayWrite` do */
  inspect(): void;
  /** Whether SQLite has failed since the last `wroteAgain`, or `wroteAgain` was not called yet. */
  readonly suspect: boolean;
  /** Records a successful write. */
  wroteAgain(): void;
  /** Records what an error means for the storage, and returns the error for the caller. */
  failed(error: unknown): unknown;
}

/** Creates the condition of a storage. It remembers lost files and damage until the storage is closed. */
export function createCondition({ watchFiles, truncateLog, onFull, damage: known }: ConditionOptions): Condition {
  let lost: unknown;
  let damage: StorageError | undefined;
  let suspect = true;
  /** Set until the log of an earlier process, which may have been killed before its truncation, is truncated. Blocks writes. */
  let truncationError: unknown = new StorageError("unavailable");
  let inspectedAt = Number.NEGATIVE_INFINITY;

  const failed = (error: unknown): unknown => {
    const failure = storageErrorFrom(error);
    if (!(failure instanceof StorageError)) return failure;
    if (failure.reason === "damaged") damage ??= failure;
    if (failure.reason === "lost") lost ??= failure;
    if (failure.reason === "full") onFull?.();
    suspect ||= isSqliteError(failure.cause);
    return failure;
  };

  const inspect = (): void => {
    inspectedAt = performance.now();
    try {
      if (lost === undefined) watchFiles();
    } catch (error) {
      throw failed(error);
    }
    if (lost !== undefined) throw lost;
    if (truncationError === undefined || damage !== undefined) return;
    try {
      truncateLog();
      truncationError = undefined;
    } catch (error) {
      truncationError = failed(error);
    }
  };

  const mayWrite = (): void => {
    if (damage !== undefined) throw damage;
    if (truncationError !== undefined) throw truncationError;
  };

  failed(known);
  // Truncates the log of an earlier process, if possible.
  inspect();

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
      if (lost !== undefined || performance.now() - inspectedAt >= inspectionInterval) inspect();
    },
    inspect() {
      inspect();
      mayWrite();
    },
  };
}
