import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const memory = "/dev/shm";

/**
 * Returns a folder whose files are in memory. Returns the system's folder for temporary files if this machine has none, or if less than
 * 1 GiB of it is left: containers often have 64 MiB.
 */
export function memoryFolder(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 2 ** 30 ? memory : tmpdir();
}

export interface TemporaryFolder extends Disposable {
  readonly path: string;
  remove(): void;
}

const folders = new Set<string>();
process.once("exit", () => folders.forEach(remove));

/** Creates a temporary folder in a folder. It is removed when this process exits, unless `remove` is called before. */
export function createTemporaryFolder(prefix: string, parent = tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(parent, `${prefix}-`));
  folders.add(path);
  return { path, remove: () => remove(path), [Symbol.dispose]: () => remove(path) };
}

function remove(path: string): void {
  folders.delete(path);
  // A program that has just ended may still write to it.
  rmSync(path, { recursive: true, force: true, maxRetries: 10 });
}

const { CI, PATH = "" } = process.env;

/** A program of the machine that tests need. */
export interface Installed {
  readonly path: string;
  readonly missing: boolean;
  /** Added to the titles of its tests: empty, or why they are skipped or fail. */
  readonly note: string;
  /** Whether to skip its tests. Always false in CI, where a missing program fails them. */
  readonly skip: boolean;
}

/** Finds the first of some programs in PATH or /usr/sbin. If the environment variable is set, it must be at that path. */
export function findInstalled(variable: string, ...programs: readonly [string, ...string[]]): Installed {
  const folders = [...PATH.split(delimiter), "/usr/sbin"];
  const { [variable]: given } = process.env;
  const candidates = programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  const path = (given === undefined ? candidates : [given]).find((each) => existsSync(each));
  const [program] = programs;
  return {
    path: path ?? given ?? program,
    missing: path === undefined,
    note: path === undefined ? ` (${program} is missing: install it, or set ${variable})` : "",
    skip: path === undefined && CI === undefined,
  };
}

/** The headless shell, if it is installed: it uses about half of the CPU time of the whole browser. */
export const installedChromium = findInstalled("CHROMIUM_PATH", "chromium-headless-shell", "chromium");
