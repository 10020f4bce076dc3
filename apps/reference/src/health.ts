import { type Document, jsonDocument, type Logger, type Storage, StorageError } from "@platform-rpc/server";
import { FatalError } from "./jobs.js";
import type { LineWriterState } from "./line-writer.js";

/** Whether the process lives, and whether it should be sent calls. */
export interface Health {
  /** `/healthz` and `/readyz`. */
  readonly documents: ReadonlyMap<string, () => Document>;
  /**
   * Asks the storage whether it can read and write. Readiness is what the last check found; a change is logged once.
   *
   * @throws FatalError when the database files are gone or replaced.
   */
  check(): Promise<void>;
  /** Whether the last check succeeded. */
  readonly ready: boolean;
  /** From now on the process is not ready, whatever is checked. */
  drain(): void;
}

export interface HealthOptions {
  readonly storage: Pick<Storage, "check">;
  readonly logger: Logger;
  /** How well the log gets out. Default: nothing is noted. */
  readonly logState?: (() => LineWriterState) | undefined;
}

const alive = jsonDocument(200, { status: "ok" });
const nothingDropped: LineWriterState = { droppedLines: 0, error: undefined };

const ready = { status: "ok" };
const unavailable = { status: "storage unavailable" };
const readOnly: Readonly<Partial<Record<StorageError["reason"], { readonly status: string; readonly note: string }>>> =
  {
    full: {
      status: "read-only",
      note: "The disk is full. Reads are answered; writes are refused until there is room on the disk of DATA_DIR.",
    },
    damaged: {
      status: "read-only",
      note: "The database is damaged. Reads of sound items are answered, and nothing is written. Restore a backup.",
    },
  };

/** A log that loses lines is noted in the readiness document. It does not make the process unready. */
export function createHealth({ storage, logger, logState = () => nothingDropped }: HealthOptions): Health {
  let found: { readonly status: string; readonly note?: string } = unavailable;
  let checked = false;
  let draining = false;

  const readiness = (): Document => {
    const { droppedLines, error } = logState();
    const log = droppedLines === 0 && error === undefined ? {} : { log: { droppedLines, error } };
    if (draining) return jsonDocument(503, { status: "draining", ...log });
    return jsonDocument(found === ready ? 200 : 503, { ...found, ...log });
  };

  const conclude = (state: typeof found): void => {
    const changed = state !== found;
    found = state;
    if (changed && state !== ready) logger.error({ ...state }, "not ready");
    else if (changed && checked) logger.info({}, "ready again");
    checked = true;
  };

  return {
    documents: new Map([
      ["/healthz", () => alive],
      ["/readyz", readiness],
    ]),
    async check() {
      try {
        await storage.check();
        conclude(ready);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        conclude(readOnly[error.reason] ?? unavailable);
        if (error.reason === "lost") {
          throw new FatalError("the database files were deleted or replaced while they were open");
        }
      }
    },
    get ready() {
      return found === ready;
    },
    drain() {
      draining = true;
    },
  };
}
