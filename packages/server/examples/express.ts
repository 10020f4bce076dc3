import { createListener, type Platform } from "@platform-rpc/server";
import express from "express";
import { pino } from "pino";

export function createApp(platform: Platform) {
  const listener = createListener(platform, { logger: pino() });
  const app = express();
  // Must be before anything that reads bodies. Express removes `/rpc` from the path.
  app.use("/rpc", listener.handle);
  return { app, listener };
}
