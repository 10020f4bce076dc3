import { deleteItemRequest } from "../load/connection.ts";
import type { Target } from "../load/target.ts";
import { itemName } from "../platform/bench-platform.ts";
import { fixtureItem } from "../platform/fixture.ts";

interface Server {
  readonly title: string;
  readonly own: boolean;
  readonly logs: boolean;
}

/** The compared servers. All of them answer DeleteItem with the same JSON. */
export const servers = {
  bare: { title: "bare node:http", own: false, logs: false },
  fastify: { title: "Fastify, with schemas", own: false, logs: false },
  hono: { title: "Hono", own: false, logs: false },
  stock: { title: "stock Connect", own: false, logs: false },
  listener: { title: "our listener", own: true, logs: false },
  stockPlatform: { title: "stock Connect, everything on", own: false, logs: true },
  platform: { title: "our listener, everything on", own: true, logs: true },
  retry: { title: "our listener, everything on, retries on SQLite", own: true, logs: true },
} as const satisfies Readonly<Record<string, Server>>;

export type ServerName = keyof typeof servers;

export const serverNames = Object.keys(servers).filter(isServerName);

export function isServerName(name: string): name is ServerName {
  return Object.hasOwn(servers, name);
}

export function requestsFor({ token }: Target): Buffer[] {
  // Servers that check no token get one of the same length.
  const sent = token === "" ? "t".repeat(800) : token;
  return Array.from({ length: 1000 }, (_, item) => deleteItemRequest(fixtureItem.vaultId, itemName(item), sent));
}
