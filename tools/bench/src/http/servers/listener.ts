import { createLog } from "@platform-rpc/reference/log";
import { createListener, type Platform } from "@platform-rpc/server";
import { claims, fixtureRoutes } from "./fixture-routes.ts";
import type { Listening } from "./listen.ts";

const silent = { info: () => {}, error: () => {} };

/** Starts our listener with the fixed response and without a log, because its peers have none. */
export async function startListener(): Promise<Listening> {
  const listener = createListener({ routes: fixtureRoutes, admit: () => claims }, { logger: silent });
  return listener.listen(0, "127.0.0.1");
}

/** Starts our listener with the services of a platform. It logs as the reference app does. */
export async function startPlatform(platform: Platform): Promise<Listening> {
  const listener = createListener(platform, { logger: createLog("info") });
  return listener.listen(0, "127.0.0.1");
}
