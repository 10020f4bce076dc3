import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const { CI, PATH = "", PROMTOOL_PATH, HAPROXY_PATH } = process.env;

/** A program of the machine that tests need. */
export interface Installed {
  readonly path: string;
  /** Added to the titles of its tests: empty, or why they are skipped or fail. */
  readonly note: string;
  /** Whether to skip its tests. Always false in CI, where a missing program fails them. */
  readonly skip: boolean;
}

/** Finds a program at the path in a variable, or in PATH. */
function find(program: string, variable: string, given: string | undefined): Installed {
  const folders = [...PATH.split(delimiter), "/usr/sbin"];
  const path = [given ?? [], folders.map((folder) => join(folder, program))].flat().find((each) => existsSync(each));
  return {
    path: path ?? program,
    note: path === undefined ? ` (${program} is missing: install it, or set ${variable})` : "",
    skip: path === undefined && CI === undefined,
  };
}

/** Part of Debian's package prometheus. */
export const promtool = find("promtool", "PROMTOOL_PATH", PROMTOOL_PATH);

export const haproxy = find("haproxy", "HAPROXY_PATH", HAPROXY_PATH);
