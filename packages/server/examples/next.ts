import { createFetchHandler, type Platform } from "@platform-rpc/server";
import { pino } from "pino";

/** Export these functions from `app/rpc/[...path]/route.ts`. */
export function createRoute(platform: Platform) {
  const handle = createFetchHandler(platform, { basePath: "/rpc", logger: pino() });
  return { GET: handle, HEAD: handle, OPTIONS: handle, POST: handle };
}
