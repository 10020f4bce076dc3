import { createServer } from "node:http";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { connectHostOptions, type Platform } from "@platform-rpc/server";

export function serve(platform: Platform) {
  return createServer(connectNodeAdapter(connectHostOptions(platform)));
}
