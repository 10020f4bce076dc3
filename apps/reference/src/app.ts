import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Message } from "@bufbuild/protobuf";
import {
  type AcknowledgedChange,
  createUnreadResponses,
  type Logger,
  type MachineClocks,
  machineClocks,
} from "@platform-rpc/server";
import { openAccounts, type SharedParts } from "./accounts/open-accounts.js";
import { createAdminAccess } from "./admin-access.js";
import { curlLines } from "./demo-data/curl-lines.js";
import { createDemo } from "./demo-data/demo.js";
import { demoTenant } from "./demo-data/demo-names.js";
import { errorFields } from "./error-fields.js";
import { createHealth } from "./health.js";
import { internalFrontPage } from "./internal-front-page.js";
import { createInternalListener } from "./internal-listener.js";
import { type FatalError, runAtEnd, startJobs } from "./jobs.js";
import type { LineWriter } from "./line-writer.js";
import { createMetrics } from "./metrics/metrics.js";
import { startCallSeries } from "./metrics/start-call-series.js";
import { connectionLimits, openFileLimit } from "./open-files.js";
import { openListeners } from "./open-listeners.js";
import { openPlatform } from "./open-platform.js";
import { openStorage } from "./open-storage.js";
import { prepareLater } from "./prepare-later.js";
import { removeLeftovers } from "./private-file.js";
import { createPrivateFolder } from "./private-folder.js";
import { createPublicServer } from "./public/public-server.js";
import { unlessReadOnly } from "./read-only-start.js";
import type { Settings } from "./settings.js";
import { openTracing } from "./tracing/open-tracing.js";
import { openServedStorage } from "./witness/open-served-storage.js";
import { serveHealthOnly } from "./witness/serve-health-only.js";
import type { Witness } from "./witness/witness-file.js";

export interface AppOptions extends Pick<SharedParts, "fetchDocument"> {
  readonly logger: Logger;
  /** The output of the log. It gets the lines of HTTP threads, and readiness reports its state. Default: HTTP threads do not log. */
  readonly logOutput?: Pick<LineWriter, "write" | "state">;
  readonly clocks?: MachineClocks;
  /** What the process knew of its database before it started again. Default: what WITNESS_FILE says. */
  readonly witness?: Witness | undefined;
}

/** A started app: its listeners are open. */
export interface RunningApp {
  /** The URL of the public listener on this machine, with the base path. */
  readonly publicUrl: string;
  /** The URL of the internal listener on this machine. */
  readonly internalUrl: string;
  /** The origin where people sign in and approve devices; undefined if ACCOUNTS_TENANT is not set. */
  readonly accountsUrl: string | undefined;
  /** The path of the file with the recovery code of the demo user, who can sign in there; undefined if there is none. */
  readonly recoveryCodeFile: string | undefined;
  /** The path of the file with the token for the private operations. */
  readonly adminTokenFile: string;
  /** A `curl` command for each public operation; empty without the demo. */
  readonly curlLines: readonly string[];
  /** Resolves when the app can no longer respond correctly. Then end the process at once. */
  readonly failed: Promise<FatalError>;
  /** Stops at once: waits for running calls and job batches, and closes the listeners and the storage. */
  end(): Promise<void>;
  /** Stops gracefully: fails readiness and serves calls for DRAIN_DELAY_SECONDS, then ends. */
  stop(): Promise<void>;
}

/** Starts the whole platform in this process. If the start fails, it closes everything that it opened, and keeps the files. */
export async function startReferenceApp(
  settings: Settings,
  { logger, logOutput, clocks = machineClocks, witness, fetchDocument }: AppOptions,
): Promise<RunningApp> {
  await using started = new AsyncDisposableStack();
  await createPrivateFolder(settings.dataDir);
  const { tracing, stop: stopTracing } = await openTracing(settings, logger);
  started.defer(stopTracing);
  const metrics = createMetrics();
  const logState = logOutput?.state ?? (() => ({ droppedLines: 0, error: undefined }));
  const fileLimit = await openFileLimit();
  let recentChanges = (): readonly AcknowledgedChange[] => [];
  const contentKey = Promise.withResolvers<Uint8Array>();
  const served = await openServedStorage({
    settings,
    open: () => openStorage({ settings, tracing, contentKey: contentKey.promise }),
    witness,
    recentChanges: () => recentChanges(),
    logger,
    serveHealth: (replaced) =>
      serveHealthOnly(replaced, { settings, logger, metrics, openFileLimit: fileLimit, logState }),
  });
  started.defer(served.close);
  const { storage, watch } = served;
  // The key store removes those of the key file, which processes can share.
  await removeLeftovers(settings.dataDir, settings.keysFile);

  const { onTokenLookup } = metrics.mainThread;
  const { platform, clock, clockWatch, lease } = await openPlatform({
    settings,
    storage,
    logger,
    clocks,
    onTokenLookup,
  });
  const { own, secrets, keyRing } = platform;
  contentKey.resolve(keyRing.contentKey);

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

  const keysAge = () => performance.now() - keyRing.loadedAt;
  const health = createHealth({ storage, logger, keysAge, logState });
  await health.check();
  let fail: (error: FatalError) => void = () => {};
  const failed = new Promise<FatalError>((resolve) => {
    fail = resolve;
  });
  const connections = connectionLimits(settings, fileLimit);
  let publicUrl = settings.publicUrl ?? "";
  const unread = createUnreadResponses(settings.unreadBytes);
  const callSeries = settings.accountsCharts ? started.use(startCallSeries(metrics.callTotals)) : undefined;
  const accounts = await openAccounts(settings, {
    storage,
    platform,
    operations: platform.operations,
    own,
    clock,
    logger,
    tracing,
    unread,
    onRequestEnd: metrics.onMemberRequestEnd,
    callSeries,
    apiUrl: () => publicUrl,
    readiness: health.readiness,
    connections: connections.accounts,
    ...(fetchDocument && { fetchDocument }),
  });
  const afterCall = demo && keepDemoFresh;
  const publicServer = createPublicServer({
    settings,
    storage,
    platform,
    logger,
    clock,
    health,
    publicUrl: () => publicUrl,
    authorizationServer: () => accounts?.origin() || settings.accountsUrl,
    connections: connections.public,
    afterCall,
    tracing,
    unread,
    metrics,
    writeLog: (line) => logOutput?.write(line),
    onFatal: fail,
  });
  recentChanges = () => [...(storage.recentChanges?.() ?? []), ...publicServer.recentChanges()];
  started.defer(metrics.mainThread.watch(publicServer.gauges));
  const jobs = startJobs(
    [
      { name: "check storage", everyMs: 1_000, run: health.check },
      { name: "watch database", everyMs: 1_000, run: watch.check },
      // While a check waits for a slow disk, readiness changes, too.
      { name: "publish readiness", everyMs: 500, run: async () => publicServer.updateReadiness() },
      // When verification fails, the health check reports why.
      { name: "verify storage", everyMs: 1_000, run: () => storage.verify().catch(health.check) },
      ...platform.jobs,
      // Reads only a clock, unless it is time: a token must not stay expired when the clock is set forward.
      { name: "renew admin token", everyMs: 1_000, run: admin.renew },
      { name: "revoke admin token", everyMs: 5_000, run: admin.revokeReplaced },
      ...(demo === undefined
        ? []
        : [{ name: "refresh demo", everyMs: 1_000, run: async () => health.ready && demo.refresh() }]),
      ...(accounts === undefined
        ? []
        : [{ name: "register OAuth clients", everyMs: 5_000, run: accounts.registerClients }]),
    ],
    { logger, onFatal: fail, onRun: metrics.onJobRun },
  );
  // If the lease cannot be released, it expires.
  started.defer(async () => lease?.release().catch(() => {}));
  started.defer(jobs.stop);

  const metricsSources = {
    storage,
    dataDir: settings.dataDir,
    openFileLimit: fileLimit,
    read: () => ({
      ready: health.readiness().status === 200,
      draining: health.draining,
      databaseReplaced: false,
      clockTrusted: clockWatch.trusted,
      keysAge: keysAge() / 1000,
      jobLag: platform.jobLag(),
      log: logState(),
    }),
  };

  const stopping = new AbortController();
  const internalListener = createInternalListener({
    settings,
    platform,
    storage,
    logger,
    clock,
    clockWatch,
    verificationUri: () => `${accounts?.origin() ?? settings.accountsUrl ?? publicUrl}/device`,
    stopping: stopping.signal,
    afterCall,
    tracing,
    unread,
    followClock: publicServer.followClock,
    onRequestEnd: metrics.onInternalRequestEnd,
    documents: new Map([
      ...health.documents,
      ["/", () => internalFrontPage(publicUrl)],
      ["/metrics", metrics.document(metricsSources)],
    ]),
  });
  const drain = () => {
    health.drain();
    publicServer.updateReadiness();
    publicServer.leave();
    accounts?.leave();
  };
  started.defer(async () => {
    drain();
    stopping.abort();
    await Promise.all([publicServer.close(), internalListener.close(), accounts?.close(), jobs.stop()]);
    await runAtEnd({ name: "record token uses", run: platform.recordTokenUses }, logger);
  });

  const { host, port, internalHost, internalPort, accountsHost, accountsPort } = settings;
  const [publicOrigin, internalUrl] = await openListeners(
    { listener: publicServer, host, port, prefix: "" },
    { listener: internalListener, host: internalHost, port: internalPort, prefix: "INTERNAL_" },
    accounts && { listener: accounts, host: accountsHost, port: accountsPort, prefix: "ACCOUNTS_" },
  );
  publicUrl = settings.publicUrl ?? publicOrigin;
  started.defer(prepareLater(platform, logger));

  const running = started.move();
  const localUrl = publicOrigin + settings.basePath;
  return {
    publicUrl: localUrl,
    internalUrl,
    accountsUrl: accounts?.origin(),
    recoveryCodeFile: settings.accountsTenant === demoTenant ? demo?.files.recoveryCode : undefined,
    adminTokenFile,
    curlLines: demo === undefined ? [] : curlLines(localUrl, demo.files),
    failed,
    end: () => running.disposeAsync(),
    async stop() {
      drain();
      await setTimeout(settings.drainDelayMs);
      await running.disposeAsync();
    },
  };
}
