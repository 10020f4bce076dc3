import { createServer } from "node:http";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { type Admit, connectHostOptions, type Routes } from "@platform-rpc/server";

export function serve({ routes, admit }: { routes: Routes; admit: Admit }) {
  return createServer(connectNodeAdapter(connectHostOptions(routes, admit)));
}
