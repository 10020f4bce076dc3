import { connectNodeAdapter } from "@connectrpc/connect-node";
import { connectHostOptions, type Platform } from "@platform-rpc/server";
import { pino } from "pino";
import { fixtureRoutes } from "./fixture-routes.ts";
import { type Listening, listen } from "./listen.ts";

/** Starts stock Connect with the fixed response. */
export function startStock(): Promise<Listening> {
  return listen(connectNodeAdapter({ routes: fixtureRoutes, jsonOptions: { alwaysEmitImplicit: true } }));
}

/**
 * Starts stock Connect with the services of a platform: the same token cache, policy, rate limit and validation as behind our
 * listener. It logs as most services do, with pino's defaults.
 */
export function startStockPlatform(platform: Platform): Promise<Listening> {
  const logger = pino();
  const adapter = connectNodeAdapter(connectHostOptions(platform));
  return listen((request, response) => {
    const startedAt = performance.now();
    response.on("close", () => {
      const { statusCode: status } = response;
      logger.info({ operation: request.url, status, durationMs: performance.now() - startedAt }, "request");
    });
    adapter(request, response);
  });
}
