import { existsSync } from "node:fs";

const { CI, PROMTOOL_PATH = "/usr/bin/promtool", HAPROXY_PATH = "/usr/sbin/haproxy" } = process.env;

/** A program of the machine that tests need. */
export interface Installed {
  readonly path: string;
  /** Added to the titles of its tests: empty, or why they are skipped. */
  readonly note: string;
  /** Whether to skip its tests. Always false in CI, where a missing program fails them. */
  readonly skip: boolean;
}

function find(path: string, variable: string): Installed {
  const missing = !existsSync(path);
  const note = missing ? ` (nothing at ${path}: install it or set ${variable})` : "";
  return { path, note, skip: missing && CI === undefined };
}

/** Part of Debian's package prometheus. */
export const promtool = find(PROMTOOL_PATH, "PROMTOOL_PATH");

export const haproxy = find(HAPROXY_PATH, "HAPROXY_PATH");
