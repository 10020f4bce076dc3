import { type Document, type Documents, jsonDocument, type Storage } from "@platform/server";

/** Whether the process lives, and whether it should be sent calls. */
export interface Health {
  /** `/healthz` and `/readyz`. */
  readonly documents: Documents;
  /** Asks the storage whether it can answer. Readiness is what the last check found. */
  check(): Promise<void>;
  /** From now on the process is not ready, whatever is checked. */
  drain(): void;
}

export function createHealth(storage: Pick<Storage, "check">): Health {
  let answering = false;
  let draining = false;
  const readiness = (): Document => {
    if (draining) return jsonDocument(503, { status: "draining" });
    return answering ? jsonDocument(200, { status: "ok" }) : jsonDocument(503, { status: "storage unavailable" });
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
