import type { Socket } from "node:net";
import { pino } from "pino";
import type { TokenClaims } from "../../src/domain/model/access.js";
import type { GatedRoutes, Listener, ListenerOptions } from "../../src/http/options.js";
import { type RawConnection, rawConnection } from "./raw-connection.js";
import { startTestServer } from "./test-server.js";
import type { WireAnswer } from "./wire-answer.js";
import { requestBytes, type WireRequest } from "./wire-request.js";

export interface LogLine {
  readonly msg: string;
  readonly requestId: string;
  readonly operation?: string;
  readonly tenantId?: string;
  readonly status: number;
  readonly code: string;
  readonly reason?: string;
  readonly durationMs: number;
}

/** A listener on a free port of 127.0.0.1, with helpers for tests. */
export interface TestListener {
  readonly listener: Listener;
  readonly port: number;
  readonly url: string;
  /** Opens a raw connection, from the given local address. It is closed with the listener, at the latest. */
  connect(localAddress?: string): RawConnection;
  /** Opens a connection that reads nothing until it is resumed. */
  connectDeaf(): Socket;
  /** Sends one request on a new connection, and closes the connection after the response. */
  send(request: WireRequest): Promise<WireAnswer>;
  /** Returns the log that has been written so far. */
  logText(): string;
  /** Resolves with the log line of a request, once it is written. */
  lineOf(requestId: string): Promise<LogLine>;
  close(): Promise<void>;
}

/** The claims of every caller of a listener that does not check tokens. */
export const anyCaller: TokenClaims = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "token-1",
  grantId: "grant-1",
  scopes: [],
  expiresAt: Number.MAX_SAFE_INTEGER,
};

export type StartListenerOptions = Pick<GatedRoutes, "routes"> &
  Partial<Pick<GatedRoutes, "admit">> &
  Omit<ListenerOptions, "logger">;

/** Starts a listener. By default it admits every caller. */
export async function startListener({
  routes,
  admit = () => anyCaller,
  ...options
}: StartListenerOptions): Promise<TestListener> {
  const written: string[] = [];
  const wakes: (() => void)[] = [];
  const logger = pino(
    { level: "trace", base: null },
    {
      write(line: string) {
        written.push(line);
        for (const wake of wakes.splice(0)) wake();
      },
    },
  );
  const server = await startTestServer({ routes, admit }, { ...options, logger });
  const connections = new Set<RawConnection>();

  const open = (localAddress?: string) => {
    const connection = rawConnection(server.connect(localAddress));
    connections.add(connection);
    connection.closed.then(() => connections.delete(connection));
    return connection;
  };

  return {
    ...server,
    connect: open,
    connectDeaf: () => server.connect().on("error", () => {}),
    async send(request) {
      const connection = open();
      connection.send(requestBytes(request));
      try {
        return await connection.answer({ head: request.verb === "HEAD" });
      } finally {
        connection.destroy();
      }
    },
    logText: () => written.join(""),
    async lineOf(requestId) {
      for (;;) {
        const line = written
          .map((text): LogLine => JSON.parse(text))
          .find((fields) => fields.requestId === requestId && fields.msg === "request");
        if (line !== undefined) return line;
        await new Promise<void>((resolve) => wakes.push(resolve));
      }
    },
    async close() {
      for (const connection of connections) connection.destroy();
      await server.close();
    },
  };
}
