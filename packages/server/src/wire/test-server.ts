import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, describe, it } from "vitest";
import { createFetchHandler } from "../http/fetch-handler.js";
import { createListener } from "../http/listener.js";
import type { GatedRoutes, Listener, ListenerOptions } from "../http/options.js";
import { selfSigned } from "./self-signed.js";
import { serveFetch } from "./serve-fetch.js";

/** How the code under test is served: by its own listener, over TLS, or mounted in a node:http server. */
export type ServedOver = "listen" | "tls" | "handle" | "fetch";

let servedOver: ServedOver = "listen";

/** Selects how all servers that this test file starts from now on are served. */
export function serveTestsOver(over: ServedOver): void {
  servedOver = over;
  afterAll(() => {
    servedOver = "listen";
  });
}

/** A guarantee that not every way of serving has. */
interface Guarantee {
  readonly over: readonly ServedOver[];
  /** Why the other ways do not have it. */
  readonly otherwise: string;
}

export const ownConnections: Guarantee = {
  over: ["listen", "tls"],
  otherwise: "the host manages connections, parse errors and Expect",
};
export const ownResponses: Guarantee = {
  over: ["listen", "tls", "handle"],
  otherwise: "the host parses the URL, sends the response, and stops",
};
/** The other ways run one row of each outcome, which shows that they pass requests and responses on. */
export const everyRow: Guarantee = { over: ["listen"], otherwise: "the rules do not depend on how a call arrives" };
export const fastHandshakes: Guarantee = { over: ["listen"], otherwise: "hundreds of TLS handshakes take seconds" };
export const smallReads: Guarantee = { over: ["listen"], otherwise: "one record of TLS contains many requests" };

/** Returns whether the way in which this file is served has a guarantee. */
export function has({ over }: Guarantee): boolean {
  return over.includes(servedOver);
}

/** Describes tests of a guarantee. Where it does not apply, they are skipped, and the title says why. */
export function describeWith(guarantee: Guarantee, title: string, tests: () => void): void {
  if (has(guarantee)) describe(title, tests);
  else describe.skip(`${title} (not over ${servedOver}: ${guarantee.otherwise})`, tests);
}

/** Declares one test of a guarantee. Where it does not apply, it is skipped, and the title says why. */
export function itWith(guarantee: Guarantee, title: string, test: () => Promise<void>): void {
  if (has(guarantee)) it(title, test);
  else it.skip(`${title} (not over ${servedOver}: ${guarantee.otherwise})`, test);
}

/** A platform that is served on a free port of 127.0.0.1. */
export interface TestServer {
  readonly listener: Listener;
  readonly port: number;
  readonly url: string;
  /** Opens a connection, from the given local address. */
  connect(localAddress?: string): Socket;
  close(): Promise<void>;
}

/** Serves a platform in the way that `serveTestsOver` has selected. */
export async function startTestServer(platform: GatedRoutes, options: ListenerOptions): Promise<TestServer> {
  const tls = servedOver === "tls" ? selfSigned() : undefined;
  const listener = createListener(platform, { ...options, ...(tls && { tls }) });
  const host =
    servedOver === "handle"
      ? createServer(listener.handle)
      : servedOver === "fetch"
        ? serveFetch(createFetchHandler(platform, options))
        : undefined;
  const port = host === undefined ? (await listener.listen(0, "127.0.0.1")).port : await listenOn(host);
  return {
    listener,
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    connect(localAddress) {
      const target = { port, host: "127.0.0.1", localAddress };
      return tls === undefined ? connect(target) : connectTls({ ...target, ca: tls.cert, servername: "localhost" });
    },
    async close() {
      await listener.close(0);
      if (host !== undefined) await new Promise((resolve) => host.close(resolve).closeAllConnections());
    },
  };
}

/** Listens on a free port of 127.0.0.1, and returns the port. */
export function listenOn(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new TypeError("not listening on a port"));
      else resolve(address.port);
    });
  });
}
