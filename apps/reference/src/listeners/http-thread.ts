import { parentPort, workerData } from "node:worker_threads";
import type { Message } from "@bufbuild/protobuf";
import {
  type AcknowledgedChange,
  createFileKeyStore,
  createPlatform,
  createSharedRateLimiter,
  createSteadyClock,
  createUnreadResponses,
  jsonDocument,
  type KeyStore,
} from "@platform-rpc/server";
import { createThreadRecorder } from "../metrics/thread-figures.js";
import { prepareLater } from "../platform/open-platform.js";
import { openThreadStorage } from "../platform/open-storage.js";
import { runAtEnd, startJobs } from "../process/jobs.js";
import { createLineForwarder } from "../process/line-writer.js";
import { createLog } from "../process/log.js";
import { callerContract } from "../rpc/reasons.js";
import { accountsOrigin, listenerUrl } from "../settings/listener-url.js";
import { openTracing } from "../tracing/open-tracing.js";
import type { FromHttpThread, HttpThreadData, ToHttpThread } from "./messages.js";
import { createPublicListener } from "./public-listener.js";

if (parentPort === null) throw new TypeError("http-thread was loaded in the main thread. Start it as a worker.");
const main = parentPort;
const { settings, port, connections, storage: storagePort, rates, now, ...data }: HttpThreadData = workerData;
const { host, issuer, audience, brokerAudience, keysFile } = settings;

const post = (message: FromHttpThread) => main.postMessage(message);
const log = createLineForwarder((lines) => post({ kind: "log", lines }));
const recorder = createThreadRecorder(data.metrics);
const logger = createLog(settings.logLevel, log);
const { tracing, stop: stopTracing } = await openTracing(settings, logger);
const contentKey = Promise.withResolvers<Uint8Array>();
const storage = await openThreadStorage({
  settings,
  port: storagePort,
  tracing,
  contentKey: contentKey.promise,
  figures: data.metrics.storage,
});
const clock = createSteadyClock();
clock.resume(now);

/** Only the main thread creates, saves and removes keys. The key rings of the other threads load them. */
const keys: KeyStore = {
  load: createFileKeyStore(keysFile).load,
  save: () => Promise.reject(new Error("an HTTP thread cannot save keys: only the main thread creates them")),
};
const platform = await createPlatform({
  storage,
  keys,
  issuer,
  audience,
  brokerAudience,
  contract: callerContract,
  clock,
  rateLimiter: rates === undefined ? false : (storage.rateLimiter ?? createSharedRateLimiter({ clock, memory: rates })),
  // Only private operations count guesses.
  guesses: false,
  onTokenLookup: recorder.onTokenLookup,
});
contentKey.resolve(platform.keyRing.contentKey);
/** While the database is not reachable, nothing is acknowledged, so that these are from before. */
let reported: AcknowledgedChange | undefined;
const reportChanges = async (): Promise<void> => {
  const changes = storage.recentChanges();
  if (changes.at(-1) !== reported) post({ kind: "changes", changes });
  reported = changes.at(-1);
};
const recordTokenUses = { name: "record token uses", everyMs: 500, run: platform.recordTokenUses };
const jobs = startJobs(
  [
    { name: "load keys", everyMs: 60_000, run: () => platform.keyRing.tick() },
    recordTokenUses,
    { name: "report changes", everyMs: 250, run: reportChanges },
  ],
  { logger, onFatal: () => {} },
);

/** The calls whose responses wait for the main thread. */
const waiting = new Map<number, () => void>();
let lastId = 0;
function afterCall(request: Message): Promise<void> {
  return new Promise((resolve) => {
    lastId += 1;
    waiting.set(lastId, resolve);
    post({ kind: "after call", id: lastId, request });
  });
}

let { readiness } = data;
const origin = settings.publicUrl ?? listenerUrl(host, port);
const listener = createPublicListener({
  settings,
  platform,
  logger,
  clock,
  health: new Map([
    ["/healthz", () => jsonDocument(200, { status: "ok" })],
    ["/readyz", () => readiness],
  ]),
  publicUrl: () => origin,
  authorizationServer: () => accountsOrigin(settings, settings.accountsPort),
  connections,
  afterCall: settings.demo ? afterCall : undefined,
  reusePort: true,
  tracing,
  unread: createUnreadResponses(settings.unreadBytes),
  onRequestEnd: recorder.onRequestEnd,
});
await listener.listen(port, host);
const cancelPreparation = prepareLater(platform, logger);
const endWatch = recorder.watch(() => ({
  connections: listener.connections,
  callsInFlight: listener.callsInFlight,
  queuedCalls: storage.queued(),
}));

main.on("message", async (message: ToHttpThread) => {
  switch (message.kind) {
    case "readiness":
      readiness = message.document;
      return;
    case "follow clock":
      clock.follow();
      return;
    case "after call":
      waiting.get(message.id)?.();
      waiting.delete(message.id);
      return;
    case "leave":
      listener.leave();
      return;
    case "close":
      await Promise.all([listener.close(), jobs.stop()]);
      cancelPreparation();
      endWatch();
      await runAtEnd(recordTokenUses, logger);
      await storage.close();
      await stopTracing();
      log.flushAtExit();
      main.close();
  }
});
post({ kind: "listening" });
