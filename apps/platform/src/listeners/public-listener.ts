import { join } from "node:path";
import type { Message } from "@bufbuild/protobuf";
import {
  type Clock,
  createListener,
  type Listener,
  type ListenerOptions,
  type Logger,
  type Platform,
  type RequestEnd,
} from "@platform-rpc/server";
import type { Documents, Tracing } from "@platform-rpc/server/host";
import { protectedResourceUrl } from "../api-docs/protected-resource.js";
import { createPublicDocuments } from "../api-docs/public-documents.js";
import { demoFilesIn } from "../demo-data/demo-files.js";
import { afterEachCall } from "../rpc/after-each-call.js";
import type { Settings } from "../settings/settings.js";

export interface PublicListenerOptions extends Pick<ListenerOptions, "unread"> {
  readonly settings: Settings;
  readonly platform: Pick<Platform, "routes" | "admit" | "keyRing">;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly health: Documents;
  /** Returns the URL as callers see it, with the base path. */
  readonly publicUrl: () => string;
  /** Returns the issuer, which is the authorization server. Undefined until its port is known. */
  readonly authorizationServer: () => string | undefined;
  /** The maximum number of simultaneous connections. */
  readonly connections: number;
  /** Awaited before the response of each call is sent. */
  readonly afterCall: ((request: Message) => Promise<void>) | undefined;
  readonly tracing: Tracing | undefined;
  /** Records the requests, for metrics. */
  readonly onRequestEnd: (end: RequestEnd) => void;
}

export function createPublicListener(options: PublicListenerOptions): Listener {
  const { settings, platform, logger, clock, health, publicUrl, connections, afterCall } = options;
  const { basePath, corsOrigins, limits, logSuccesses } = settings;
  const { routes, admit, keyRing } = platform;
  const hasServer = settings.accountsTenant !== undefined || settings.accountsUrl !== undefined;
  const demoFiles = settings.demo ? demoFilesIn(join(settings.dataDir, "demo")) : undefined;
  const authorizationServer = hasServer ? options.authorizationServer : undefined;
  return createListener(
    { routes: afterCall === undefined ? routes : afterEachCall(routes, afterCall), admit },
    {
      logger,
      basePath,
      corsOrigins,
      limits: { ...limits, connections },
      logSuccesses,
      documents: new Map([
        ...health,
        ...createPublicDocuments({ ...settings, publicUrl, keyRing, clock, authorizationServer, demoFiles }),
      ]),
      resourceMetadataUrl:
        authorizationServer && (() => protectedResourceUrl({ basePath, publicUrl, authorizationServer })),
      trustedProxies: settings.trustedProxies,
      tracing: options.tracing,
      unread: options.unread,
      onRequestEnd: options.onRequestEnd,
    },
  );
}
