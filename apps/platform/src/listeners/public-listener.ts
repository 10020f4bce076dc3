import { join } from "node:path";
import { createHostListener, type HostListener } from "@platform-rpc/server/host";
import { protectedResourceUrl } from "../api-docs/protected-resource.js";
import { createPublicDocuments } from "../api-docs/public-documents.js";
import { demoFilesIn } from "../demo-data/demo-files.js";
import { afterEachCall } from "../rpc/after-each-call.js";
import type { ListenerParts } from "./listener-parts.js";

/** Creates the public listener: the operations of the contract, and the documents about them. */
export function createPublicListener(parts: ListenerParts): HostListener {
  const { settings, addresses, platform, logger, clock, metrics, health, connections, tracing, unread } = parts;
  const { basePath, corsOrigins, limits, logSuccesses, trustedProxies } = settings;
  const { routes, admit, keyRing } = platform;
  const demoFiles = settings.demo ? demoFilesIn(join(settings.dataDir, "demo")) : undefined;
  const publicUrl = addresses.apiUrl;
  const authorizationServer = addresses.accounts?.issuer;
  const listener = createHostListener(
    { routes: afterEachCall(routes, parts.afterCall), admit },
    {
      logger,
      basePath,
      corsOrigins,
      limits: { ...limits, connections: connections.public },
      logSuccesses,
      documents: new Map([
        ...health.documents,
        ...createPublicDocuments({ ...settings, publicUrl, keyRing, clock, authorizationServer, demoFiles }),
      ]),
      resourceMetadataUrl: authorizationServer && protectedResourceUrl({ basePath, publicUrl }),
      trustedProxies,
      tracing,
      unread,
      onRequestEnd: metrics.onPublicRequestEnd,
    },
  );
  metrics.countConnections("public", () => listener.connections);
  return listener;
}
