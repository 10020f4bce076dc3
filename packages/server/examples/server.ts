import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import {
  createFileKeyStore,
  createListener,
  createPlatform,
  createSqliteStorage,
  type Document,
  jsonDocument,
  type PlatformJob,
  publicContract,
  StorageError,
} from "@platform-rpc/server";
import { pino } from "pino";

const { PORT = "9080", DRAIN_MS = "0", DOCS_URL = "https://docs.example" } = process.env;
const logger = pino();
const storage = createSqliteStorage({ path: "platform.sqlite" });
const platform = await createPlatform({
  storage,
  keys: createFileKeyStore("keys.json"),
  issuer: "https://id.example",
  audience: "https://api.example",
  brokerAudience: "https://broker.example",
});

// Jobs: those of the platform, and a check of the storage. A job runs again when its last run has ended.
let usable = false;
async function checkStorage() {
  try {
    await storage.check();
    await storage.verify();
    usable = true;
  } catch (error) {
    usable = false;
    if (error instanceof StorageError && error.reason === "lost") {
      logger.fatal(error, "the database files were deleted or replaced");
      process.exit(1);
    }
    throw error;
  }
}
const stopping = new AbortController();
const jobs: PlatformJob[] = [...platform.jobs, { name: "check storage", everyMs: 1_000, run: checkStorage }];
const running = jobs.map(async ({ name, everyMs, run }) => {
  while (!stopping.signal.aborted) {
    await run(stopping.signal).catch((error: unknown) => logger.error({ err: error, job: name }, "job failed"));
    await setTimeout(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
  }
});

// Documents: health, the public keys, and the links in errors, which lead to /docs/errors of this server.
const documents = new Map<string, Document | (() => Document)>([
  ["/healthz", jsonDocument(200, { status: "ok" })],
  ["/readyz", () => jsonDocument(usable && !stopping.signal.aborted ? 200 : 503, { usable })],
  ["/.well-known/jwks.json", () => jsonDocument(200, platform.keyRing.jwks(), "public, max-age=600")],
]);
const reasons = [...publicContract.reasons.keys(), "NETWORK_ERROR", "MALFORMED_RESPONSE", "TOKEN_UNAVAILABLE"];
for (const reason of [...reasons, "INTERCEPTOR_FAILED", "ACCESS_DENIED", "EXPIRED_TOKEN"]) {
  const headers = { Location: `${DOCS_URL}/errors/${reason}` };
  documents.set(`/docs/errors/${reason}`, { status: 307, contentType: "text/plain", body: "", headers });
}

const listener = createListener(platform, { logger, documents });
// Ctrl+C, or the signal of a supervisor.
const stopSignal = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
const { port } = await listener.listen(Number(PORT), "127.0.0.1");
console.log(`listening on ${port}`);
await stopSignal;

// Readiness fails, running calls and jobs finish, then the storage closes.
stopping.abort();
listener.leave();
await setTimeout(Number(DRAIN_MS));
await listener.close();
await Promise.all(running);
await platform.recordTokenUses();
await storage.close();
