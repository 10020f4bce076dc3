import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new TypeError("it does not listen on TCP");
  return address.port;
}
