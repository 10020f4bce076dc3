import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A fault of the connection that sends a certain statement.
 *
 * - `cut before`: the connection ends, and the server never sees the statement.
 * - `cut after`: the server runs the statement, and the connection ends before the response.
 * - `hang before`: nothing is forwarded any more, in either direction, and the connection stays open.
 * - `hang after`: the server runs the statement, and the connection stays open without a response.
 */
export type ConnectionFault = "cut before" | "cut after" | "hang before" | "hang after";

/** A TCP proxy in front of a PostgreSQL server, that fails when a test says so. */
export interface FaultyProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Injects a fault into the next connection that sends `text`. Resolves when the client's connection is closed, or hangs. */
  inject(text: string, fault: ConnectionFault): Promise<void>;
  /** How new connections are received: forwarded, reset, or refused by the server with a SQLSTATE. Default: forwarded. */
  receive(how: "forward" | "reset" | { readonly sqlState: string }): void;
  /** Ends all connections. Resolves when the client has noticed it. */
  cutAll(): Promise<void>;
}

/** Starts a proxy in front of the server of a URL. It ends with the test. */
export async function startFaultyProxy(serverUrl: string): Promise<FaultyProxy> {
  const target = new URL(serverUrl);
  let receiving: Parameters<FaultyProxy["receive"]>[0] = "forward";
  let pending: { readonly text: string; readonly fault: ConnectionFault; readonly happened: () => void } | undefined;
  const clients = new Set<Socket>();

  const forward = (client: Socket): void => {
    const server = connect(Number(target.port), target.hostname);
    server.on("error", () => client.destroy());
    server.on("close", () => client.end());
    client.on("close", () => server.destroy());
    let fault: ConnectionFault | undefined;
    let happened = () => {};
    client.on("data", (bytes) => {
      if (pending !== undefined && bytes.includes(pending.text)) {
        ({ fault, happened } = pending);
        pending = undefined;
        if (fault === "hang before" || fault === "hang after") happened();
        else client.once("close", happened);
        if (fault === "cut before") client.destroy();
      }
      if (fault !== "cut before" && fault !== "hang before") server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (fault === "cut after") client.destroy();
      else if (fault === undefined) client.write(bytes);
    });
  };

  const listener = createServer((client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("close", () => clients.delete(client));
    if (receiving === "forward") forward(client);
    else if (receiving === "reset") client.resetAndDestroy();
    else client.end(errorResponse(receiving.sqlState));
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const cutAll = async (): Promise<void> => {
    await Promise.all([...clients].map((client) => once(client.end(), "close")));
  };
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    listener.close();
  });
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  target.port = String(address.port);
  const url = target.href;
  target.port = new URL(serverUrl).port;

  return {
    url,
    inject: (text, fault) =>
      new Promise((happened) => {
        pending = { text, fault, happened };
      }),
    receive(how) {
      receiving = how;
    },
    cutAll,
  };
}

/** Returns the message with which a server refuses a connection. */
function errorResponse(sqlState: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlState}\0Mrefused by the test\0\0`);
  const head = Buffer.from("E....");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
