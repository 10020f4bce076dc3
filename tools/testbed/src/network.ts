import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What this process has returned: a program that was started with a port may not listen on it yet. */
const returned = new Set<number>();

/**
 * Returns a port of 127.0.0.1 on which nothing listens. It is below the ports that the system gives to connections and to
 * listeners without a port, so that none of them takes it before the caller listens on it.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(12_000, 32_000);
    if (!returned.has(port) && (await isFree(port))) {
      returned.add(port);
      return port;
    }
  }
  throw new Error("No port of 127.0.0.1 is free.");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

/**
 * What a proxy does with its connections.
 *
 * - `pass`: forwards everything.
 * - `reset`: resets every connection, also new ones.
 * - `hang`: forwards nothing in either direction. New connections are accepted, as by a load balancer whose server is gone.
 * - `half-open`: forwards requests but no responses.
 */
export type ProxyMode = "pass" | "reset" | "hang" | "half-open";

/** A TCP proxy on loopback in front of a server, as a network that can fail. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Sets the mode. Connections from before a mode other than `pass` are reset when `pass` is set again. */
  set(mode: ProxyMode): void;
  /** Sets the server of new connections, and resets the others. */
  pointTo(port: number): void;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket | undefined;
}

/** Starts a proxy to a port of loopback. @param onRequest gets what clients send */
export async function startProxy(serverPort: number, onRequest?: (bytes: Buffer) => void): Promise<TcpProxy> {
  let mode: ProxyMode = "pass";
  let port = serverPort;
  const pairs = new Set<Pair>();
  const reset = () => {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server?.resetAndDestroy();
    }
    pairs.clear();
  };

  const listener = createServer((client) => {
    client.on("error", () => undefined);
    if (mode === "reset") {
      client.resetAndDestroy();
      return;
    }
    // The server never learns of a connection that hangs.
    const server = mode === "hang" ? undefined : connect({ port, host: "127.0.0.1" });
    const pair: Pair = { client, server };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server?.destroy();
    };
    client.on("close", () => mode !== "hang" && end());
    if (server === undefined) return;
    server.on("error", () => undefined);
    server.on("close", () => mode === "pass" && end());
    client.on("data", (bytes) => {
      onRequest?.(bytes);
      if (mode !== "hang") server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (mode === "pass") client.write(bytes);
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");

  return {
    port: address.port,
    set(next) {
      if (next === "reset" || (next === "pass" && mode !== "pass")) reset();
      mode = next;
    },
    pointTo(next) {
      port = next;
      reset();
    },
    async [Symbol.asyncDispose]() {
      reset();
      listener.close();
      await once(listener, "close");
    },
  };
}
