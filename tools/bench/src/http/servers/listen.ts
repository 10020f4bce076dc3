import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** The port that a server listens on. */
export interface Listening {
  readonly port: number;
}

/** Serves requests with node:http, on a free port. */
export function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(addressOf(server.address())));
  });
}

export function addressOf(address: AddressInfo | string | null): Listening {
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a TCP port.");
  return address;
}
