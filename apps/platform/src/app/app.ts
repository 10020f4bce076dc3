import { setTimeout } from "node:timers/promises";
import type { AccountsOptions } from "@platform-rpc/accounts";
import { createPrivateFolder, removeTemporaries, temporariesIn } from "@platform-rpc/files";
import { createUnreadResponses, type Logger } from "@platform-rpc/server";
import { type MachineClocks, machineClocks } from "@platform-rpc/server/host";
import { siteFolder } from "../api-docs/site-documents.js";
import { openAccountsListener } from "../listeners/accounts-listener.js";
import { addressesOf } from "../listeners/addresses.js";
import { bindSockets } from "../listeners/bind-sockets.js";
import { createInternalListener } from "../listeners/internal-listener.js";
import type { ListenerParts } from "../listeners/listener-parts.js";
import { createPublicListener } from "../listeners/public-listener.js";
import { openMcp } from "../mcp/open-mcp.js";
import { createMetrics } from "../metrics/metrics.js";
import { createHealth, nothingDropped } from "../platform/health.js";
import { openPlatform, prepareLater } from "../platform/open-platform.js";
import { openStorage } from "../platform/open-storage.js";
import { type FatalError, runAtEnd, startJobs } from "../process/jobs.js";
import type { LineWriterState } from "../process/line-writer.js";
import { connectionLimits, openFileLimit } from "../process/open-files.js";
import { demoTenant, type Settings } from "../settings/settings.js";
import { openTracing } from "../tracing/open-tracing.js";
import { openServedStorage } from "../witness/open-served-storage.js";
import { serveHealthOnly } from "../witness/serve-health-only.js";
import type { Witness } from "../witness/witness-file.js";
import { openOwnFiles } from "./own-files.js";
import { curlLines, type StartedApp } from "./start-lines.js";

export interface AppOptions extends Pick<AccountsOptions, "fetchDocument"> {
  readonly logger: Logger;
  /** Returns the state of the log, which readiness reports. Default: a log that loses no lines. */
  readonly logState?: () => LineWriterState;
  readonly clocks?: MachineClocks;
  /** What the process knew of its database before it started again. Default: what WITNESS_FILE says. */
  readonly witness?: Witness | undefined;
}

/** A started app: its listeners are open. */
export interface RunningApp extends StartedApp {
  /** Resolves when the app can no longer respond correctly. Then end the process at once. */
  readonly failed: Promise<FatalError>;
  /** Stops at once: waits for running calls and job batches, and closes the listeners and the storage. */
  end(): Promise<void>;
  /** Stops gracefully: fails readiness and serves calls for DRAIN_DELAY_SECONDS, then ends. */
  stop(): Promise<void>;
}

/** Starts the whole platform in this process. If the start fails, it closes everything that it opened, and keeps the files. */
export async function startPlatformApp(
  settings: Settings,
  { logger, logState = () => nothingDropped, clocks = machineClocks, witness, fetchDocument }: AppOptions,
): Promise<RunningApp> {
  await using started = new AsyncDisposableStack();
  await createPrivateFolder(settings.dataDir);
  const { tracing, stop: stopTracing } = await openTracing(settings, logger);
  started.defer(stopTracing);
  const metrics = createMetrics(settings.cell);
  const fileLimit = await openFileLimit();
  const contentKey = Promise.withResolvers<Uint8Array>();
  const served = await openServedStorage({
    settings,
    open: () => openStorage({ settings, tracing, contentKey: contentKey.promise }),
    witness,
    logger,
    serveHealth: (replaced) =>
      serveHealthOnly(replaced, { settings, logger, metrics, openFileLimit: fileLimit, logState }),
  });
  started.defer(served.close);
  const { storage, watch } = served;
  // The key store removes those of the key file, which processes can share.
  await removeTemporaries((await temporariesIn(settings.dataDir)).filter(({ of }) => of !== settings.keysFile));

  const connections = connectionLimits(settings, fileLimit);
  const sockets = await bindSockets(settings, connections);
  started.defer(sockets.close);
  const addresses = addressesOf(settings, sockets);

  const { platform, clock, clockWatch, lease } = await openPlatform({
    settings,
    storage,
    logger,
    clocks,
    onTokenLookup: metrics.onTokenLookup,
    delegationPage: addresses.accounts && `${addresses.accounts.origin}/console/agents`,
  });
  const { keyRing } = platform;
  contentKey.resolve(keyRing.contentKey);

  const files = await openOwnFiles({ settings, platform, clock, logger });
  started.defer(files.stop);
  const { afterCall } = files;

  const keysAge = () => performance.now() - keyRing.loadedAt;
  const health = createHealth({ storage, logger, keysAge, logState });
  await health.check();
  const failed = Promise.withResolvers<FatalError>();
  const parts: ListenerParts = {
    ...{ settings, addresses, connections, storage, platform, clock, logger, tracing, metrics, health, afterCall },
    unread: createUnreadResponses(settings.unreadBytes),
  };
  const { mcpUrl } = addresses;
  const resource = mcpUrl === undefined ? undefined : { ...platform.createResource(mcpUrl), url: mcpUrl };
  const accounts = await openAccountsListener(parts, resource, fetchDocument);
  const mcp = accounts && resource && (await openMcp(parts, accounts, resource));
  const publicListener = createPublicListener(parts);
  started.defer(metrics.watchEventLoop());
  const jobs = startJobs(
    [
      { name: "check storage", everyMs: 1_000, run: health.check },
      { name: "watch database", everyMs: 1_000, run: watch.check },
      // When verification fails, the health check reports why.
      { name: "verify storage", everyMs: 1_000, run: () => storage.verify().catch(health.check) },
      ...platform.jobs,
      ...files.jobs(() => health.ready),
      ...(accounts === undefined
        ? []
        : [{ name: "register OAuth clients", everyMs: 5_000, run: accounts.registerClients }]),
    ],
    { logger, onFatal: failed.resolve, onRun: metrics.onJobRun },
  );
  // If the lease cannot be released, it expires.
  started.defer(async () => lease?.release().catch(() => {}));
  started.defer(jobs.stop);

  const metricsDocument = metrics.document({
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
      callsInFlight: publicListener.callsInFlight,
      log: logState(),
    }),
  });

  const stopping = new AbortController();
  const internalListener = createInternalListener({
    ...parts,
    clockWatch,
    stopping: stopping.signal,
    documents: new Map([...health.documents, ["/metrics", metricsDocument]]),
  });
  const drain = () => {
    health.drain();
    publicListener.leave();
    accounts?.leave();
    mcp?.leave();
  };
  started.defer(async () => {
    drain();
    stopping.abort();
    const listeners = [publicListener, internalListener, accounts, mcp];
    await Promise.all([...listeners.map((listener) => listener?.close()), jobs.stop()]);
    await runAtEnd({ name: "record token uses", run: platform.recordTokenUses }, logger);
  });

  await Promise.all([
    publicListener.serve(sockets.public),
    internalListener.serve(sockets.internal),
    sockets.accounts && accounts?.serve(sockets.accounts),
    sockets.mcp && mcp?.serve(sockets.mcp),
  ]);
  started.defer(prepareLater(platform, logger));

  const running = started.move();
  const { localUrl, internalUrl } = addresses;
  const { adminTokenFile, demo } = files;
  return {
    publicUrl: localUrl,
    docsUrl: siteFolder === undefined ? undefined : `${localUrl}/docs/`,
    internalUrl,
    accountsUrl: accounts?.issuer,
    pagesUrl: accounts?.origin,
    mcpUrl,
    recoveryCodeFile: settings.accountsTenant === demoTenant ? demo?.files.recoveryCode : undefined,
    adminTokenFile,
    curlLines: demo === undefined ? [] : curlLines(localUrl, demo.files),
    failed: failed.promise,
    end: () => running.disposeAsync(),
    async stop() {
      drain();
      await setTimeout(settings.drainDelayMs);
      await running.disposeAsync();
    },
  };
}
