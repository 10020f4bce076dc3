import { readFile } from "node:fs/promises";

/** File descriptors reserved for everything but connections: the database, the log, the keys. */
const otherFiles = 128;

/** The smallest connection limit of the public listener, even if the limit of open files is lower. */
const fewest = 16;

/** Returns how many files this process may open; infinity if the system does not report it. */
export async function openFileLimit(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, limit] = /^Max open files +([0-9]+) /m.exec(limits) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/**
 * Returns the connection limit of the public listener. It always leaves enough file descriptors for the internal listener.
 */
export function publicConnections(wanted: number, internal: number, openFiles: number): number {
  if (openFiles === Number.POSITIVE_INFINITY) return wanted;
  return Math.min(wanted, Math.max(fewest, openFiles - internal - otherFiles));
}
