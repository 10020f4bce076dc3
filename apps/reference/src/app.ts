import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type Call,
  createBoundKeyStore,
  createClockWatch,
  createFileKeyStore,
  createListener,
  createPlatform,
  createSqliteStorage,
  createSteadyClock,
  type Logger,
  type MachineClocks,
  machineClocks,
  type Routes,
} from "@platform-rpc/server";
import { Visibility } from "@platform-rpc/types";
import { createAdminAccess } from "./admin-access.js";
import { createPublicDocuments } from "./api-docs/public-documents.js";
import { withClockAlarm } from "./clock-alarm.js";
import { databaseFile } from "./database-file.js";
import { curlLines } from "./demo-data/curl-lines.js";
import { createDemo } from "./demo-data/demo.js";
import { errorFields } from "./error-fields.js";
import { createHealth } from "./health.js";
import { type FatalError, startJobs } from "./jobs.js";
import type { LineWriterState } from "./line-writer.js";
import { hostInUrl } from "./listener-url.js";
import { openFileLimit, publicConnections } from "./open-files.js";
import { openListeners } from "./open-listeners.js";
import { removeLeftovers } from "./private-file.js";
import { unlessReadOnly } from "./read-only-start.js";
import { afterEachCall } from "./rpc/after-each-call.js";
import { createPrivateRoutes } from "./rpc/private-routes.js";
import type { Settings } from "./settings.js";

export interface AppOptions {
  readonly logger: Logger;
  /** How well the log gets out, for the readiness document. Default: nothing is noted. */
  readonly logState?: () => LineWriterState;
  readonly clocks?: MachineClocks;
}

/** The platform, answering. */
export interface RunningApp {
  /** Where the public listener answers on this machine, base path included. */
  readonly publicUrl: string;
  /** Where the internal listener answers on this machine. */
  readonly internalUrl: string;
  /** A file with a token for the private operations. */
  readonly adminTokenFile: string;
  /** A line to paste for each public operation; none without the demo. */
  readonly curlLines: readonly string[];
  /** Resolves when the app can no longer answer correctly: the process must then end at once. */
  readonly failed: Promise<FatalError>;
  /** Fails readiness, lets running calls and the batches of jobs finish, closes both listeners, and closes the storage. */
  stop(): Promise<void>;
}

/** Puts the whole platform together in this process. When it rejects, nothing is left behind but files. */
export async function startReferenceApp(
  settings: Settings,
  { logger, logState, clocks = machineClocks }: AppOptions,
): Promise<RunningApp> {
  await using started = new AsyncDisposableStack();
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  const storage = createSqliteStorage({ path: databaseFile(settings) });
  started.defer(() => storage.close());
  await removeLeftovers(settings.dataDir);

  const clock = createSteadyClock(clocks);
  const clockWatch = withClockAlarm(createClockWatch({ storage, runId: randomUUID(), clocks }), logger);
  await unlessReadOnly(
    "read clock",
    async () => {
      const { lastRunAt } = await clockWatch.read();
      // Windows that the last run opened do not grow because the clock was set back in between.
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
    ...{ issuer, audience, brokerAudience, clock, clockWatch },
    ...(!settings.rateLimits && { rateLimiter: false, guesses: false }),
  });
  const { own, operations, admit, secrets, keyRing } = platform;

  const adminTokenFile = join(settings.dataDir, "admin.token");
  const admin = createAdminAccess({ operations: own, secrets, clock, tokenFile: adminTokenFile });
  await unlessReadOnly("write admin token", admin.renew, logger);
  started.defer(() => unlessReadOnly("revoke admin token", admin.stop, logger));
  const demo = settings.demo
    ? createDemo({ operations: own, secrets, clock, folder: join(settings.dataDir, "demo") })
    : undefined;
  if (demo !== undefined) await unlessReadOnly("refresh demo", demo.refresh, logger);
  // Before the answer is sent, so that whoever has it and calls again finds the files fresh.
  const keepDemoFresh = (routes: Routes): Routes => {
    if (demo === undefined) return routes;
    return afterEachCall(routes, async (request) => {
      if (!demo.concerns(request)) return;
      await demo.refresh().catch((thrown) => logger.error(errorFields(thrown), "demo not refreshed"));
    });
  };

  const health = createHealth({ storage, logger, logState });
  await health.check();
  let fail: (error: FatalError) => void = () => {};
  const failed = new Promise<FatalError>((resolve) => {
    fail = resolve;
  });
  const jobs = startJobs(
    [
      { name: "check storage", everyMs: 1_000, run: health.check },
      // What verification finds is for the check to report.
      { name: "verify storage", everyMs: 1_000, run: () => storage.verify().catch(health.check) },
      ...platform.jobs,
      { name: "renew admin token", everyMs: 30_000, run: admin.renew },
      { name: "revoke admin token", everyMs: 5_000, run: admin.revokeReplaced },
      ...(demo === undefined
        ? []
        : [{ name: "refresh demo", everyMs: 1_000, run: async () => health.ready && demo.refresh() }]),
    ],
    { logger, onFatal: fail },
  );
  started.defer(jobs.stop);

  let publicUrl = settings.publicUrl ?? "";
  const verificationUri = () => `${publicUrl}/device`;
  const trustClock = async (call: Call): Promise<void> => {
    await clockWatch.trust(call);
    clock.follow();
  };
  const { internalConnections: internal, limits, basePath } = settings;
  const publicListener = createListener(
    { routes: keepDemoFresh(platform.routes), admit },
    {
      logger,
      basePath,
      corsOrigins: settings.corsOrigins,
      limits: { ...limits, connections: publicConnections(limits.connections, internal, await openFileLimit()) },
      documents: new Map([
        ...health.documents,
        ...(await createPublicDocuments({ ...settings, publicUrl: () => publicUrl, keyRing, clock })),
      ]),
    },
  );
  const stopping = new AbortController();
  const backUp = (path: string) => storage.backUp(path, stopping.signal);
  const privateRoutes = createPrivateRoutes({ operations, verificationUri, trustClock, backUp });
  const internalListener = createListener(
    { routes: keepDemoFresh(privateRoutes), admit },
    {
      visibility: Visibility.PRIVATE,
      logger,
      hosts: settings.internalHosts.map(hostInUrl),
      // Callers are on this machine, or behind one proxy.
      limits: { ...limits, connections: internal, connectionsPerAddress: Number.POSITIVE_INFINITY },
      documents: health.documents,
    },
  );
  started.defer(async () => {
    health.drain();
    stopping.abort();
    await Promise.all([publicListener.close(), internalListener.close(), jobs.stop()]);
  });

  const { host, port, internalHost, internalPort } = settings;
  const [publicOrigin, internalUrl] = await openListeners(
    { listener: publicListener, host, port, prefix: "" },
    { listener: internalListener, host: internalHost, port: internalPort, prefix: "INTERNAL_" },
  );
  publicUrl = settings.publicUrl ?? publicOrigin;

  const running = started.move();
  const localUrl = publicOrigin + basePath;
  return {
    publicUrl: localUrl,
    internalUrl,
    adminTokenFile,
    curlLines: demo === undefined ? [] : curlLines(localUrl, demo.files),
    failed,
    stop: () => running.disposeAsync(),
  };
}
