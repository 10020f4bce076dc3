import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { type Call, type Document, jsonDocument } from "@platform-rpc/server";
import {
  type ClockWatch,
  createHostListener,
  type DocumentRequest,
  type Documents,
  type HostListener,
} from "@platform-rpc/server/host";
import { Visibility } from "@platform-rpc/types";
import type { AppDocument } from "../api-docs/app-document.js";
import { redirection } from "../api-docs/site-documents.js";
import { afterEachCall } from "../rpc/after-each-call.js";
import { createPrivateRoutes } from "../rpc/private-routes.js";
import { hostInUrl } from "../settings/listener-url.js";
import type { ListenerParts } from "./listener-parts.js";

interface InternalListenerOptions extends ListenerParts {
  readonly clockWatch: ClockWatch;
  /** Stops a running backup. */
  readonly stopping: AbortSignal;
  readonly documents: Documents;
}

/** Creates the internal listener: the operations of administrators, health and metrics. */
export function createInternalListener(options: InternalListenerOptions): HostListener {
  const { settings, addresses, platform, storage, logger, clock, clockWatch, metrics, stopping } = options;
  const { apiUrl } = addresses;
  const trustClock = async (call: Call): Promise<void> => {
    await clockWatch.trust(call);
    clock.follow();
  };
  const routes = createPrivateRoutes({
    operations: platform.operations,
    verificationUri: `${addresses.accounts?.origin ?? apiUrl}/device`,
    trustClock,
    backUp: (path) => storage.backUp(path, stopping),
    readAudit: storage.readAudit,
  });
  const listener = createHostListener(
    { routes: afterEachCall(routes, options.afterCall), admit: platform.admit, contract: internalContract },
    {
      visibility: Visibility.PRIVATE,
      logger,
      hosts: settings.internalHosts.map(hostInUrl),
      // All callers may share one address: they are on this machine, or behind one proxy.
      limits: {
        ...settings.limits,
        connections: settings.internalConnections,
        connectionsPerAddress: Number.POSITIVE_INFINITY,
      },
      trustedProxies: settings.trustedProxies,
      logSuccesses: settings.logSuccesses,
      tracing: options.tracing,
      unread: options.unread,
      onRequestEnd: metrics.onInternalRequestEnd,
      documents: new Map<string, AppDocument>([
        ...options.documents,
        ["/", frontPage(apiUrl)],
        // Clients with this listener as their baseUrl append the path of the documentation to it.
        ["/docs/*", ({ path }: DocumentRequest) => redirection(apiUrl + path)],
      ]),
    },
  );
  metrics.countConnections("internal", () => listener.connections);
  return listener;
}

/** Creates the document at the root of the internal listener: what it is, and where an operator goes next. */
function frontPage(publicUrl: string): Document {
  return jsonDocument(
    200,
    {
      name: "Platform, private operations for operators",
      readiness: "/readyz",
      liveness: "/healthz",
      metrics: "/metrics",
      documentation: `${publicUrl}/docs`,
    },
    "no-store",
  );
}
