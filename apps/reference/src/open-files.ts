import { readFile } from "node:fs/promises";

/** File descriptors that are kept for the database, the log, the keys and whatever else is no connection. */
const otherFiles = 128;

/** The fewest connections of the public listener, however few files the process may open. */
const fewest = 16;

/** How many files this process may open; no limit where the system does not say. */
export async function openFileLimit(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, limit] = /^Max open files +([0-9]+) /m.exec(limits) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/**
 * The most connections that the public listener may take so that the internal one never lacks a file descriptor, whatever
 * strangers do.
 */
export function publicConnections(wanted: number, internal: number, openFiles: number): number {
  if (openFiles === Number.POSITIVE_INFINITY) return wanted;
  return Math.min(wanted, Math.max(fewest, openFiles - internal - otherFiles));
}
