import { type Document, type Documents, jsonDocument, type Storage } from "@platform/server";
import type { LineWriterState } from "./line-writer.js";

/** Whether the process lives, and whether it should be sent calls. */
export interface Health {
  /** `/healthz` and `/readyz`. */
  readonly documents: Documents;
  /** Asks the storage whether it can answer. Readiness is what the last check found. */
  check(): Promise<void>;
  /** From now on the process is not ready, whatever is checked. */
  drain(): void;
}

const noLoss: LineWriterState = { droppedLines: 0, error: undefined };

/** A log that loses lines is noted in the readiness document. It does not make the process unready. */
export function createHealth(storage: Pick<Storage, "check">, logState: () => LineWriterState = () => noLoss): Health {
  let answering = false;
  let draining = false;
  const readiness = (): Document => {
    const { droppedLines, error } = logState();
    const note = droppedLines === 0 && error === undefined ? {} : { log: { droppedLines, error } };
    if (draining) return jsonDocument(503, { status: "draining", ...note });
    return jsonDocument(answering ? 200 : 503, { status: answering ? "ok" : "storage unavailable", ...note });
  };
  return {
    documents: new Map([
      ["/healthz", () => jsonDocument(200, { status: "ok" })],
      ["/readyz", readiness],
    ]),
    async check() {
      try {
        await storage.check();
        answering = true;
      } catch (error) {
        answering = false;
        throw error;
      }
    },
    drain() {
      draining = true;
    },
  };
}
