import { createHandlerListener } from "@platform-rpc/front";
import { createListener, type Documents, type Logger, rpcError } from "@platform-rpc/server";
import { IdentityGatewayService, VaultService, Visibility } from "@platform-rpc/types";
import { hostInUrl } from "../listener-url.js";
import { openListeners } from "../open-listeners.js";
import { privateServices } from "../rpc/private-routes.js";
import { internalContract } from "../rpc/reasons.js";
import type { Settings } from "../settings.js";

const publicServices = [VaultService, IdentityGatewayService];

/** Serves health and metrics on the ports of the platform. Every call is rejected as UNAVAILABLE, and pages say that. */
export async function serveHealthOnly(
  settings: Settings,
  { health, metrics, logger }: { readonly health: Documents; readonly metrics: Documents; readonly logger: Logger },
): Promise<{ close(): Promise<void> }> {
  const admit = (): never => {
    throw rpcError("UNAVAILABLE", { retryAfterMs: 5_000 });
  };
  const listener = createListener(
    { admit, routes: (router) => publicServices.map((service) => router.service(service, {})) },
    { logger, basePath: settings.basePath, corsOrigins: settings.corsOrigins, documents: health },
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
      documents: new Map([...health, ...metrics]),
    },
  );
  const accounts =
    settings.accountsTenant === undefined
      ? undefined
      : createHandlerListener({
          handle(_, response) {
            response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "5" });
            response.end("The platform is not available now. Try again later.\n");
          },
        });
  const { host, port, internalHost, internalPort, accountsHost, accountsPort } = settings;
  await openListeners(
    { listener, host, port, prefix: "" },
    { listener: internal, host: internalHost, port: internalPort, prefix: "INTERNAL_" },
    accounts && { listener: accounts, host: accountsHost, port: accountsPort, prefix: "ACCOUNTS_" },
  );
  return {
    async close() {
      await Promise.all([listener.close(), internal.close(), accounts?.close()]);
    },
  };
}
