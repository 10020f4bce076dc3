import { errorFields } from "@platform-rpc/front/errors";
import { type Document, jsonDocument, type Logger, type Storage, StorageError } from "@platform-rpc/server";
import { FatalError } from "../process/jobs.js";
import type { LineWriterState } from "../process/line-writer.js";

export interface Health {
  /** The documents `/healthz` and `/readyz`. */
  readonly documents: ReadonlyMap<string, () => Document>;
  /** Returns the document `/readyz`. */
  readonly readiness: () => Document;
  /**
   * Checks whether the storage can read and write. Sets readiness to the result, and logs each change once.
   *
   * @throws FatalError when the database files are gone or replaced, or the thread of the storage has ended.
   */
  check(): Promise<void>;
  /** Whether the last check succeeded. */
  readonly ready: boolean;
  readonly draining: boolean;
  /** Makes the process permanently unready. Later checks do not change that. */
  drain(): void;
}

export interface HealthOptions {
  readonly storage: Pick<Storage, "check">;
  readonly logger: Logger;
  /** Returns how long ago the keys were loaded, in milliseconds. Default: they are always fresh. */
  readonly keysAge?: () => number;
  /** Returns the state of the log. Default: a log that loses no lines. */
  readonly logState?: (() => LineWriterState) | undefined;
}

const alive = jsonDocument(200, { status: "ok" });
export const nothingDropped: LineWriterState = { droppedLines: 0, error: undefined };

const ready = { status: "ok" };
const unchecked = { status: "storage unavailable" };
const unavailable = {
  status: "storage unavailable",
  note: 'The storage cannot be read and written, or a write has failed in the last 15 s. The line "not ready" of the log says why.',
};
const stalled = {
  status: "storage unavailable",
  note: "A check of the storage has been waiting for 5 s. Check the disk of DATA_DIR, or the database of DATABASE_URL.",
};
const keysOutdated = {
  status: "keys outdated",
  note: "KEYS_FILE could not be loaded for 50 minutes, so tokens may be signed with a key that is not known here. See the log.",
};

/** How long a check of the storage may take, in milliseconds. */
const checkMs = 5_000;

/** How long keys can be used without loading them again, in milliseconds: a new key is published for an hour before it signs. */
const keysFreshMs = 50 * 60_000;
const readOnly: Readonly<Partial<Record<StorageError["reason"], { readonly status: string; readonly note: string }>>> =
  {
    full: {
      status: "read-only",
      note: "The disk is full, or almost. Reads work; writes are rejected until the disk of DATA_DIR, or of PostgreSQL, has free space.",
    },
    damaged: {
      status: "read-only",
      note: "The database is damaged. Reads of undamaged items work; writes are rejected. Restore a backup.",
    },
  };

/** Creates the health of the process. The readiness document also reports a log that loses lines. Such a process stays ready. */
export function createHealth(options: HealthOptions): Health {
  const { storage, logger, keysAge = () => 0, logState = () => nothingDropped } = options;
  let found: { readonly status: string; readonly note?: string } = unchecked;
  let checked = false;
  let draining = false;

  const readiness = (): Document => {
    const { droppedLines, error } = logState();
    const log = droppedLines === 0 && error === undefined ? {} : { log: { droppedLines, error } };
    if (draining) return jsonDocument(503, { status: "draining", ...log });
    return jsonDocument(found === ready ? 200 : 503, { ...found, ...log });
  };

  const setState = (state: typeof found, error?: StorageError): void => {
    const changed = state !== found;
    found = state;
    if (changed && state !== ready) logger.error({ ...state, ...(error && causeOf(error)) }, "not ready");
    else if (changed && checked) logger.info({}, "ready again");
    checked = true;
  };

  return {
    documents: new Map([
      ["/healthz", () => alive],
      ["/readyz", readiness],
    ]),
    readiness,
    async check() {
      const overdue = setTimeout(() => setState(stalled), checkMs);
      try {
        await storage.check();
        setState(keysAge() < keysFreshMs ? ready : keysOutdated);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        setState(readOnly[error.reason] ?? unavailable, error);
        if (error.reason === "lost") throw lostStorage(error);
      } finally {
        clearTimeout(overdue);
      }
    },
    get ready() {
      return found === ready;
    },
    get draining() {
      return draining;
    },
    drain() {
      draining = true;
    },
  };
}

/** Returns what the log says of an error of the storage. The row is named by ids. */
function causeOf({ damagedRow, cause }: StorageError): object {
  return { damagedRow, ...(cause !== undefined && { cause: errorFields(cause) }) };
}

/** Creates the error for a storage whose files are lost, or whose thread has ended: then its cause is why. */
function lostStorage({ cause }: StorageError): FatalError {
  if (cause === undefined) return new FatalError("the database files were deleted or replaced while they were open");
  return new FatalError("the thread of the storage ended unexpectedly", { cause });
}
