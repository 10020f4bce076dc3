import { setTimeout } from "node:timers/promises";
import { createFiguresMemory, jsonDocument, type Logger, readFigures } from "@platform-rpc/server";
import type { LineWriterState } from "../line-writer.js";
import type { Metrics } from "../metrics/metrics.js";
import type { Settings } from "../settings.js";
import type { DatabaseWatch, ReplacedDatabase } from "./database-watch.js";
import { serveHealthOnly } from "./serve-health-only.js";

/**
 * Resolves when the database may be served. Until an operator has decided about a replaced one, it serves health and metrics only. It
 * has no other connection to the database meanwhile, so that an epoch can begin.
 */
export async function untilServed(
  watch: DatabaseWatch,
  options: {
    readonly settings: Settings;
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly openFileLimit: number;
    readonly logState: () => LineWriterState;
  },
): Promise<void> {
  const { settings, logger, metrics, openFileLimit, logState } = options;
  const first = await watch.look();
  // The storage reports a database that cannot be read.
  if (first === "served" || first === "unreadable") return;
  let { comparison, message }: ReplacedDatabase = first;
  logger.error({ reason: comparison }, `not ready: ${message}`);
  const state = { ready: false, draining: false, databaseReplaced: true, clockTrusted: true, keysAge: 0 };
  const noFigures = readFigures(createFiguresMemory());
  const listeners = await serveHealthOnly(settings, {
    logger,
    health: new Map([
      ["/healthz", () => jsonDocument(200, { status: "ok" })],
      ["/readyz", () => jsonDocument(503, { status: "database replaced", reason: comparison, note: message })],
    ]),
    metrics: new Map([
      [
        "/metrics",
        metrics.document({
          storage: { figures: () => noFigures },
          dataDir: settings.dataDir,
          openFileLimit,
          read: () => ({ ...state, log: logState() }),
        }),
      ],
    ]),
  });
  try {
    for (;;) {
      await setTimeout(1_000);
      const found = await watch.look();
      if (found === "served") break;
      if (found !== "unreadable") ({ comparison, message } = found);
    }
  } finally {
    await listeners.close();
  }
  logger.info({}, "the database is served again");
}
