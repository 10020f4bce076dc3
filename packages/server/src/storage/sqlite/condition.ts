import { StorageError } from "../../ports/storage.js";
import { isDiskError, isSqliteError, storageErrorFrom } from "./database/sqlite-error.js";

/** The interval between inspections, in milliseconds. */
const inspectionInterval = 1000;

export interface ConditionOptions {
  /** @throws StorageError "lost" */
  readonly watchFiles: () => void;
  /** Called when the disk refused a write: it is full, or it fails. */
  readonly onRefused?: (error: StorageError) => void;
  /** The error that shows known damage of the database; undefined if none is known. */
  readonly damage?: unknown;
}

/** Tracks whether a storage may still read and write. */
export interface Condition {
  /** Inspects at most once a second. @throws StorageError "lost", permanently once the files were lost. */
  mayAnswer(): void;
  /** @throws StorageError "damaged", permanently once damage was found. */
  mayWrite(): void;
  /** Inspects now. @throws StorageError as `mayAnswer` and `mayWrite` do */
  inspect(): void;
  /** Whether SQLite has failed since the last `wroteAgain`, or `wroteAgain` was not called yet. */
  readonly suspect: boolean;
  wroteAgain(): void;
  /** Records what an error means for the storage, and returns the error for the caller. */
  failed(error: unknown): unknown;
}

/** Creates the condition of a storage. It remembers lost files and damage until the storage is closed. */
export function createCondition({ watchFiles, onRefused, damage: known }: ConditionOptions): Condition {
  let lost: unknown;
  let damage: StorageError | undefined;
  let suspect = true;
  let inspectedAt = Number.NEGATIVE_INFINITY;

  const failed = (error: unknown): unknown => {
    const failure = storageErrorFrom(error);
    if (!(failure instanceof StorageError)) return failure;
    if (failure.reason === "damaged") damage ??= failure;
    if (failure.reason === "lost") lost ??= failure;
    if (failure.reason === "full" || isDiskError(failure.cause)) onRefused?.(failure);
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
  };

  const mayWrite = (): void => {
    if (damage !== undefined) throw damage;
  };

  failed(known);
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
