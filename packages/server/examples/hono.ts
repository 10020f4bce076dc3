import { createFetchHandler, type Platform } from "@platform-rpc/server";
import { Hono } from "hono";
import { pino } from "pino";

export function createApp(platform: Platform) {
  const handle = createFetchHandler(platform, { basePath: "/rpc", logger: pino() });
  return new Hono().all("/rpc/*", (context) => handle(context.req.raw));
}
