import { readFile } from "node:fs/promises";
import type { Settings } from "../settings/settings.js";

/** File descriptors reserved for everything but connections: the database, the log, the keys. */
const otherFiles = 128;

/** The maximum number of simultaneous connections of the MCP listener. Agents keep few, and send one request at a time on each. */
export const mcpConnections = 256;

/** The smallest connection limit of a listener, even if the limit of open files is lower. */
const fewest = 16;

export type ConnectionSettings = Pick<Settings, "internalConnections" | "accountsConnections" | "accountsTenant"> & {
  readonly limits: Pick<Settings["limits"], "connections">;
};

/** The maximum number of simultaneous connections of each listener whose number depends on the limit of open files. */
export interface ConnectionNumbers {
  readonly public: number;
  readonly accounts: number;
  readonly mcp: number;
}

/** Returns how many files this process may open; infinity if the system does not report it. */
export async function openFileLimit(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, limit] = /^Max open files +([0-9]+) /m.exec(limits) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/**
 * Returns the connection limits of the public, the accounts and the MCP listener, for a process that may open `openFiles` files. They
 * leave enough file descriptors for the internal listener. If there are too few for all, the accounts listener gets a quarter of them, and
 * the MCP listener an eighth.
 */
export function connectionLimits(
  { limits, internalConnections, accountsConnections, accountsTenant }: ConnectionSettings,
  openFiles: number,
): ConnectionNumbers {
  const hasAccounts = accountsTenant !== undefined;
  const wanted = { accounts: hasAccounts ? accountsConnections : 0, mcp: hasAccounts ? mcpConnections : 0 };
  if (openFiles === Number.POSITIVE_INFINITY) return { public: limits.connections, ...wanted };
  const available = openFiles - internalConnections - otherFiles;
  const part = (most: number, share: number) => Math.min(most, Math.max(fewest, Math.floor(available / share)));
  const [accounts, mcp] = [part(wanted.accounts, 4), part(wanted.mcp, 8)];
  return { public: Math.min(limits.connections, Math.max(fewest, available - accounts - mcp)), accounts, mcp };
}
