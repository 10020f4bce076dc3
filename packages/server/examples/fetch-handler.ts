import { createFetchHandler, type Platform } from "@platform-rpc/server";
import { pino } from "pino";

/** A route of Next (`app/rpc/[...path]/route.ts`) or Hono (`app.all("/rpc/*", …)`). */
export function createRoute(platform: Platform) {
  const handle = createFetchHandler(platform, { basePath: "/rpc", logger: pino() });
  return { GET: handle, HEAD: handle, OPTIONS: handle, POST: handle };
}
