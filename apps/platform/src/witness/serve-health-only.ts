import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { createHandlerListener } from "@platform-rpc/front";
import { createListener, jsonDocument, type Logger, rpcError } from "@platform-rpc/server";
import { type Documents, noStorageFigures } from "@platform-rpc/server/host";
import { IdentityGatewayService, VaultService, Visibility } from "@platform-rpc/types";
import { openListeners } from "../listeners/open-listeners.js";
import type { Metrics } from "../metrics/metrics.js";
import type { LineWriterState } from "../process/line-writer.js";
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
    read: () => ({ ...state, connections: { public: listener.connections }, log: logState() }),
  });
  const admit = (): never => {
    throw rpcError("UNAVAILABLE", { retryAfterMs: 5_000 });
  };
  const listener = createListener(
    { admit, routes: (router) => publicServices.map((service) => router.service(service, {})) },
    { logger, basePath: settings.basePath, corsOrigins: settings.corsOrigins, documents: healthWith({}) },
  );
  const internal = createListener(
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
  const { host, port, internalHost, internalPort, accountsHost, accountsPort, mcpHost, mcpPort } = settings;
  const pages = [
    { host: accountsHost, port: accountsPort, prefix: "ACCOUNTS_" },
    { host: mcpHost, port: mcpPort, prefix: "MCP_" },
  ];
  const others = (settings.accountsTenant === undefined ? [] : pages).map((address) => ({
    ...address,
    listener: createHandlerListener({
      handle(_, response) {
        response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "5" });
        response.end("The platform is not available now. Try again later.\n");
      },
    }),
  }));
  await openListeners(
    { listener, host, port, prefix: "" },
    { listener: internal, host: internalHost, port: internalPort, prefix: "INTERNAL_" },
    ...others,
  );
  return {
    async close() {
      await Promise.all([listener.close(), internal.close(), ...others.map((other) => other.listener.close())]);
    },
  };
}
