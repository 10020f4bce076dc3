import type { Message } from "@bufbuild/protobuf";
import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import {
  type Call,
  createListener,
  type Document,
  jsonDocument,
  type Listener,
  type ListenerOptions,
  type Logger,
  type Platform,
  type RequestEnd,
} from "@platform-rpc/server";
import type { ClockWatch, DocumentRequest, Documents, SteadyClock, Tracing } from "@platform-rpc/server/host";
import { Visibility } from "@platform-rpc/types";
import type { AppDocument } from "../api-docs/app-document.js";
import { redirection } from "../api-docs/site-documents.js";
import type { AppStorage } from "../platform/open-storage.js";
import { afterEachCall } from "../rpc/after-each-call.js";
import { createPrivateRoutes } from "../rpc/private-routes.js";
import { hostInUrl } from "../settings/listener-url.js";
import type { Settings } from "../settings/settings.js";

interface InternalListenerOptions extends Pick<ListenerOptions, "unread"> {
  readonly settings: Settings;
  readonly platform: Pick<Platform, "operations" | "admit">;
  readonly storage: Pick<AppStorage, "backUp" | "readAudit">;
  readonly logger: Logger;
  readonly clock: SteadyClock;
  readonly clockWatch: ClockWatch;
  /** Returns the URL at which people approve devices. */
  readonly verificationUri: () => string;
  /** Stops a running backup. */
  readonly stopping: AbortSignal;
  /** Awaited before the response of each call is sent. */
  readonly afterCall: ((request: Message) => Promise<void>) | undefined;
  readonly tracing: Tracing | undefined;
  readonly onRequestEnd: (end: RequestEnd) => void;
  /** Returns the URL of the public listener as callers see it, with the base path. */
  readonly publicUrl: () => string;
  /** Health and metrics. */
  readonly documents: Documents;
}

export function createInternalListener(options: InternalListenerOptions): Listener {
  const { settings, platform, storage, logger, clock, clockWatch, verificationUri, stopping, afterCall } = options;
  const trustClock = async (call: Call): Promise<void> => {
    await clockWatch.trust(call);
    clock.follow();
  };
  const privateRoutes = createPrivateRoutes({
    operations: platform.operations,
    verificationUri,
    trustClock,
    backUp: (path) => storage.backUp(path, stopping),
    readAudit: storage.readAudit,
  });
  return createListener(
    {
      routes: afterCall === undefined ? privateRoutes : afterEachCall(privateRoutes, afterCall),
      admit: platform.admit,
      contract: internalContract,
    },
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
      onRequestEnd: options.onRequestEnd,
      documents: new Map<string, AppDocument>([
        ...options.documents,
        ["/", () => frontPage(options.publicUrl())],
        // Clients with this listener as their baseUrl append the path of the documentation to it.
        ["/docs/*", ({ path }: DocumentRequest) => redirection(options.publicUrl() + path)],
      ]),
    },
  );
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
