import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { createHandlerListener } from "@platform-rpc/front";
import { jsonDocument, type Logger, rpcError } from "@platform-rpc/server";
import { createHostListener, type Documents, noStorageFigures } from "@platform-rpc/server/host";
import { IdentityGatewayService, VaultService, Visibility } from "@platform-rpc/types";
import { bindSockets } from "../listeners/bind-sockets.js";
import type { Metrics } from "../metrics/metrics.js";
import type { LineWriterState } from "../process/line-writer.js";
import { connectionLimits } from "../process/open-files.js";
import { privateServices } from "../rpc/private-routes.js";
import { hostInUrl } from "../settings/listener-url.js";
import type { Settings } from "../settings/settings.js";
import type { ReplacedDatabase } from "./database-watch.js";

const publicServices = [VaultService, IdentityGatewayService];

export interface HealthOnlyOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly openFileLimit: number;
  readonly logState: () => LineWriterState;
}

/** Serves health and metrics while the database is replaced. Every call is rejected as UNAVAILABLE, and pages say so. */
export async function serveHealthOnly(
  { comparison, message }: ReplacedDatabase,
  { settings, logger, metrics, openFileLimit, logState }: HealthOnlyOptions,
): Promise<{ close(): Promise<void> }> {
  const status = { status: "database replaced", reason: comparison };
  /** The note names a vault, and commands of the operator: it is for the internal listener only. */
  const healthWith = (note: { readonly note?: string }): Documents =>
    new Map([
      ["/healthz", () => jsonDocument(200, { status: "ok" })],
      ["/readyz", () => jsonDocument(503, { ...status, ...note })],
    ]);
  const state = {
    ready: false,
    draining: false,
    databaseReplaced: true,
    clockTrusted: true,
    keysAge: 0,
    jobLag: [],
    callsInFlight: 0,
  };
  const metricsDocument = metrics.document({
    storage: { figures: () => noStorageFigures },
    dataDir: settings.dataDir,
    openFileLimit,
    read: () => ({ ...state, log: logState() }),
  });
  const admit = (): never => {
    throw rpcError("UNAVAILABLE", { retryAfterMs: 5_000 });
  };
  const publicListener = createHostListener(
    { admit, routes: (router) => publicServices.map((service) => router.service(service, {})) },
    { logger, basePath: settings.basePath, corsOrigins: settings.corsOrigins, documents: healthWith({}) },
  );
  const internalListener = createHostListener(
    {
      admit,
      routes: (router) => privateServices.map((service) => router.service(service, {})),
      contract: internalContract,
    },
    {
      logger,
      visibility: Visibility.PRIVATE,
      hosts: settings.internalHosts.map(hostInUrl),
      documents: new Map([...healthWith({ note: message }), ["/metrics", metricsDocument]]),
    },
  );
  metrics.countConnections("public", () => publicListener.connections);
  const createPages = () =>
    createHandlerListener({
      handle(_, response) {
        response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "5" });
        response.end("The platform is not available now. Try again later.\n");
      },
    });
  const sockets = await bindSockets(settings, connectionLimits(settings, openFileLimit));
  const served = [
    [publicListener, sockets.public],
    [internalListener, sockets.internal],
    [createPages(), sockets.accounts],
    [createPages(), sockets.mcp],
  ] as const;
  await Promise.all(served.map(([listener, socket]) => socket && listener.serve(socket)));
  return {
    async close() {
      await Promise.all(served.map(([listener]) => listener.close()));
    },
  };
}
