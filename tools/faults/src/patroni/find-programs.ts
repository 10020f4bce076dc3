import { existsSync, globSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** The programs of a Patroni cluster. */
export interface PatroniPrograms {
  /** The command that runs Patroni. Its configuration is the only argument that is missing. */
  readonly patroni: readonly [string, ...string[]];
  readonly etcd: string;
  readonly haproxy: string;
  /** The folder of `postgres`, `initdb`, `pg_basebackup` and `pg_rewind`. */
  readonly postgres: string;
  readonly environment: NodeJS.ProcessEnv;
}

const { PATRONI_ROOT = "/", HAPROXY_PATH, PATH = "" } = process.env;

const packages = "patroni, etcd-server, haproxy and postgresql-15";

/** The newest version of PostgreSQL that Patroni 3.0, the version of Debian 12, supports. */
const newestPostgres = 15;

/**
 * Finds the programs of Debian's packages. Patroni and etcd may be unpacked with `dpkg -x` in the folder PATRONI_ROOT.
 *
 * @returns the programs, or what is missing.
 */
export function findPatroni(): PatroniPrograms | { readonly missing: string } {
  const [patroni, etcd] = [join(PATRONI_ROOT, "usr/bin/patroni"), join(PATRONI_ROOT, "usr/bin/etcd")];
  const haproxy = HAPROXY_PATH ?? findOnPath("haproxy");
  const postgres = findPostgres();
  const found = { [patroni]: existsSync(patroni), [etcd]: existsSync(etcd), haproxy, "PostgreSQL up to 15": postgres };
  const missing = Object.entries(found).flatMap(([name, path]) => (path ? [] : [name]));
  if (haproxy === undefined || postgres === undefined || missing.length > 0) {
    return {
      missing: `${missing.join(", ")} not found. Install Debian's packages ${packages}. See tools/faults/README.md.`,
    };
  }
  const modules = join(PATRONI_ROOT, "usr/lib/python3/dist-packages");
  return {
    patroni: ["/usr/bin/python3", patroni],
    etcd,
    haproxy,
    postgres,
    environment: { PYTHONPATH: modules, PYTHONUNBUFFERED: "1" },
  };
}

/** Returns the path of a program in PATH or /usr/sbin. */
export function findOnPath(program: string): string | undefined {
  return [...PATH.split(delimiter), "/usr/sbin"].map((folder) => join(folder, program)).find(existsSync);
}

/** Returns the folder of the programs of the newest version that is installed. */
function findPostgres(): string | undefined {
  const version = (path: string) => Number(/postgresql\/(\d+)\//.exec(path)?.[1]);
  const [newest] = globSync("/usr/lib/postgresql/*/bin/pg_rewind")
    .filter((path) => version(path) <= newestPostgres)
    .sort((a, b) => version(b) - version(a));
  return newest && dirname(newest);
}
