import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Message } from "@bufbuild/protobuf";
import {
  type Call,
  createBoundKeyStore,
  createClockWatch,
  createFileKeyStore,
  createListener,
  createPlatform,
  createSteadyClock,
  type Logger,
  type MachineClocks,
  machineClocks,
} from "@platform-rpc/server";
import { Visibility } from "@platform-rpc/types";
import { createAdminAccess } from "./admin-access.js";
import { withClockAlarm } from "./clock-alarm.js";
import { curlLines } from "./demo-data/curl-lines.js";
import { createDemo } from "./demo-data/demo.js";
import { errorFields } from "./error-fields.js";
import { createHealth } from "./health.js";
import { type FatalError, startJobs } from "./jobs.js";
import type { LineWriter } from "./line-writer.js";
import { hostInUrl } from "./listener-url.js";
import { openFileLimit, publicConnections } from "./open-files.js";
import { openListeners } from "./open-listeners.js";
import { openStorage } from "./open-storage.js";
import { prepareLater } from "./prepare-later.js";
import { removeLeftovers } from "./private-file.js";
import { createPublicServer } from "./public/public-server.js";
import { unlessReadOnly } from "./read-only-start.js";
import { afterEachCall } from "./rpc/after-each-call.js";
import { createPrivateRoutes } from "./rpc/private-routes.js";
import { internalContract } from "./rpc/reasons.js";
import type { Settings } from "./settings.js";

export interface AppOptions {
  readonly logger: Logger;
  /** The output of the log. It gets the lines of HTTP threads, and readiness reports its state. Default: HTTP threads do not log. */
  readonly logOutput?: Pick<LineWriter, "write" | "state">;
  readonly clocks?: MachineClocks;
}

/** A started app: both listeners are open. */
export interface RunningApp {
  /** The URL of the public listener on this machine, with the base path. */
  readonly publicUrl: string;
  /** The URL of the internal listener on this machine. */
  readonly internalUrl: string;
  /** The path of the file with the token for the private operations. */
  readonly adminTokenFile: string;
  /** A `curl` command for each public operation; empty without the demo. */
  readonly curlLines: readonly string[];
  /** Resolves when the app can no longer respond correctly. Then end the process at once. */
  readonly failed: Promise<FatalError>;
  /** Stops gracefully: fails readiness, waits for running calls and job batches, then closes both listeners and the storage. */
  stop(): Promise<void>;
}

/** Starts the whole platform in this process. If the start fails, it closes everything that it opened, and keeps the files. */
export async function startReferenceApp(
  settings: Settings,
  { logger, logOutput, clocks = machineClocks }: AppOptions,
): Promise<RunningApp> {
  await using started = new AsyncDisposableStack();
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  const storage = await openStorage(settings);
  started.defer(() => storage.close());
  await removeLeftovers(settings.dataDir);

  const clock = createSteadyClock(clocks);
  const clockWatch = withClockAlarm(createClockWatch({ storage, runId: randomUUID(), clocks }), logger);
  await unlessReadOnly(
    "read clock",
    async () => {
      const { lastRunAt } = await clockWatch.read();
      // If the clock was set back since the last run, the time windows of that run must not become longer.
      if (lastRunAt !== undefined) clock.resume(lastRunAt);
    },
    logger,
  );
  const { issuer, audience, brokerAudience, keysFile } = settings;
  const platform = await createPlatform({
    storage,
    keys: createBoundKeyStore({
      store: createFileKeyStore(keysFile),
      storage,
      place: keysFile,
      replace: settings.replaceKeys,
    }),
    issuer,
    audience,
    brokerAudience,
    clock,
    clockWatch,
    ...(!settings.rateLimits && { rateLimiter: false, guesses: false }),
  });
  const { own, operations, admit, secrets } = platform;

  const adminTokenFile = join(settings.dataDir, "admin.token");
  const admin = createAdminAccess({ operations: own, secrets, clock, tokenFile: adminTokenFile });
  started.defer(() => unlessReadOnly("revoke admin token", admin.stop, logger));
  const demo = settings.demo
    ? createDemo({ operations: own, secrets, clock, folder: join(settings.dataDir, "demo") })
    : undefined;
  // At the same time, so that their commits share flushes.
  await Promise.all([
    unlessReadOnly("write admin token", admin.renew, logger),
    demo && unlessReadOnly("refresh demo", demo.refresh, logger),
  ]);
  // Runs before the response is sent, so that the next call of the same caller finds fresh files.
  const keepDemoFresh = async (request: Message): Promise<void> => {
    if (demo?.concerns(request) !== true) return;
    await demo.refresh().catch((thrown) => logger.error(errorFields(thrown), "demo not refreshed"));
  };

  const health = createHealth({ storage, logger, logState: logOutput?.state });
  await health.check();
  let fail: (error: FatalError) => void = () => {};
  const failed = new Promise<FatalError>((resolve) => {
    fail = resolve;
  });
  let publicUrl = settings.publicUrl ?? "";
  const { internalConnections: internal, limits } = settings;
  const connections = publicConnections(limits.connections, internal, await openFileLimit());
  const afterCall = demo && keepDemoFresh;
  const publicServer = createPublicServer({
    settings,
    storage,
    platform,
    logger,
    clock,
    health,
    publicUrl: () => publicUrl,
    connections,
    afterCall,
    writeLog: (line) => logOutput?.write(line),
    onFatal: fail,
  });
  const checkHealth = () => health.check().finally(publicServer.updateReadiness);
  const jobs = startJobs(
    [
      { name: "check storage", everyMs: 1_000, run: checkHealth },
      // When verification fails, the health check reports why.
      { name: "verify storage", everyMs: 1_000, run: () => storage.verify().catch(checkHealth) },
      ...platform.jobs,
      // Reads only a clock, unless it is time: a token must not stay expired when the clock is set forward.
      { name: "renew admin token", everyMs: 1_000, run: admin.renew },
      { name: "revoke admin token", everyMs: 5_000, run: admin.revokeReplaced },
      ...(demo === undefined
        ? []
        : [{ name: "refresh demo", everyMs: 1_000, run: async () => health.ready && demo.refresh() }]),
    ],
    { logger, onFatal: fail },
  );
  started.defer(jobs.stop);

  const verificationUri = () => `${publicUrl}/device`;
  const trustClock = async (call: Call): Promise<void> => {
    await clockWatch.trust(call);
    clock.follow();
    publicServer.followClock();
  };
  const stopping = new AbortController();
  const backUp = (path: string) => storage.backUp(path, stopping.signal);
  const privateRoutes = createPrivateRoutes({ operations, verificationUri, trustClock, backUp });
  const internalListener = createListener(
    {
      routes: afterCall === undefined ? privateRoutes : afterEachCall(privateRoutes, afterCall),
      admit,
      contract: internalContract,
    },
    {
      visibility: Visibility.PRIVATE,
      logger,
      hosts: settings.internalHosts.map(hostInUrl),
      // All callers may share one address: they are on this machine, or behind one proxy.
      limits: { ...limits, connections: internal, connectionsPerAddress: Number.POSITIVE_INFINITY },
      documents: health.documents,
    },
  );
  started.defer(async () => {
    health.drain();
    publicServer.updateReadiness();
    stopping.abort();
    await Promise.all([publicServer.close(), internalListener.close(), jobs.stop()]);
  });

  const { host, port, internalHost, internalPort } = settings;
  const [publicOrigin, internalUrl] = await openListeners(
    { listener: publicServer, host, port, prefix: "" },
    { listener: internalListener, host: internalHost, port: internalPort, prefix: "INTERNAL_" },
  );
  publicUrl = settings.publicUrl ?? publicOrigin;
  started.defer(prepareLater(platform, logger));

  const running = started.move();
  const localUrl = publicOrigin + settings.basePath;
  return {
    publicUrl: localUrl,
    internalUrl,
    adminTokenFile,
    curlLines: demo === undefined ? [] : curlLines(localUrl, demo.files),
    failed,
    stop: () => running.disposeAsync(),
  };
}
