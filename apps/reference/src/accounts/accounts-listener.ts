import { once } from "node:events";
import { Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { createAccountsApp } from "./accounts-app.js";
import type { OAuthParts } from "./oauth/oauth-parts.js";

/** The listener of the accounts origin. */
export interface AccountsListener {
  /** Starts to listen and returns the port. Port 0 selects a free port. Rejects when the address is not available. */
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  /** Waits for running requests, up to 10 s, then closes every connection. */
  close(): Promise<void>;
}

/** How long a request may take to arrive, in milliseconds. */
const receiveTimeoutMs = 10_000;

/** How long running requests are awaited when the listener closes, in milliseconds. */
const graceMs = 10_000;

/** Creates the listener of the accounts origin. It serves plain HTTP: put a proxy with TLS in front of it. */
export function createAccountsListener(parts: OAuthParts): AccountsListener {
  const { fetch } = createAccountsApp(parts);
  const server = createAdaptorServer({
    fetch,
    overrideGlobalObjects: false,
    serverOptions: { requestTimeout: receiveTimeoutMs, headersTimeout: receiveTimeoutMs, keepAliveTimeout: 65_000 },
  });
  if (!(server instanceof Server)) throw new TypeError("the accounts listener must be an HTTP/1.1 server");
  return {
    async listen(port, host) {
      server.listen(port, host);
      await once(server, "listening");
      const address = server.address();
      return { port: typeof address === "object" && address !== null ? address.port : port };
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      await Promise.race([closed, setTimeout(graceMs, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}
