import { createListener, type Platform } from "@platform-rpc/server";
import express from "express";
import { pino } from "pino";

export function createApp(platform: Platform) {
  const listener = createListener(platform, { logger: pino() });
  const app = express();
  // Before anything that reads bodies. Express removes the path.
  app.use("/rpc", listener.handle);
  return { app, listener };
}
