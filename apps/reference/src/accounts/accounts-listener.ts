import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { defaultLimits } from "@platform-rpc/server";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { errorFields } from "../error-fields.js";
import { createAccountsApp } from "./accounts-app.js";
import type { MemberListener } from "./members/member-listener.js";
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

/**
 * How long a connection may be silent during a request, in milliseconds: a client that does not read its response must not keep the
 * connection. Calls that wait for changes are silent for up to 25 s.
 */
const silentTimeoutMs = 60_000;

/** How long running requests are awaited when the listener closes, in milliseconds. */
const graceMs = 10_000;

/** What the accounts listener serves, and to how many callers. */
export interface AccountsListenerOptions {
  readonly site: OAuthParts;
  readonly members: MemberListener;
  /** The maximum number of simultaneous connections. */
  readonly connections: number;
}

/** The paths of the operations of members. */
const memberPaths = `/${MemberVaultService.typeName}/`;

/**
 * Creates the listener of the accounts origin. It serves plain HTTP: put a proxy with TLS in front of it. Calls of members never
 * reach the site, which accepts cookies: `members` has a gate, a log and errors like the API, and accepts access tokens only.
 */
export function createAccountsListener({ site, members, connections }: AccountsListenerOptions): AccountsListener {
  const { fetch } = createAccountsApp(site);
  const serveSite = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer(
    { requestTimeout: receiveTimeoutMs, headersTimeout: receiveTimeoutMs, keepAliveTimeout: 65_000 },
    (request, response) => {
      if (request.url?.startsWith(memberPaths)) members.handle(request, response);
      else void serveSite(request, response);
    },
  );
  server.maxConnections = connections;
  server.timeout = silentTimeoutMs;
  return {
    async listen(port, host) {
      server.listen({ port, host, backlog: defaultLimits.backlog });
      await once(server, "listening");
      // From here on, an error means that a connection could not be accepted, for example because file descriptors ran out.
      server.on("error", (error) => site.logger.error(errorFields(error), "connection not accepted"));
      const address = server.address();
      return { port: typeof address === "object" && address !== null ? address.port : port };
    },
    async close() {
      if (!server.listening) return;
      const closed = Promise.all([once(server, "close"), members.close()]);
      server.close();
      await Promise.race([closed, setTimeout(graceMs, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}
