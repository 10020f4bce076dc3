import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

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
