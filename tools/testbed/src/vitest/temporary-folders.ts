import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFolder } from "../files.ts";

const root = mkdtempSync(join(tmpdir(), "tests-"));
const memoryRoot = mkdtempSync(join(memoryFolder(), "tests-"));
/** Folders that tests must leave empty. Databases are in MEMORY_TMPDIR: they flush often, and no test needs a real disk. */
const empty = { HOME: join(root, "home"), TMPDIR: join(root, "tmp"), MEMORY_TMPDIR: join(memoryRoot, "memory") };
/** Caches of programs that tests start, such as buf and Node. */
const caches = { XDG_CACHE_HOME: join(root, "cache"), NODE_COMPILE_CACHE: join(root, "compile-cache") };

/** Gives all tests an empty home and an empty temporary folder, so that no file of this machine changes their result. */
export function setup(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith("XDG_")) delete process.env[name];
  for (const folder of Object.values({ ...empty, ...caches })) mkdirSync(folder);
  Object.assign(process.env, empty, caches);
}

/** Removes the folders. @throws Error when a test left a file in its home or temporary folder. */
export function teardown(): void {
  const left = Object.values(empty).flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  // A program that ends may still write.
  for (const folder of [root, memoryRoot]) rmSync(folder, { recursive: true, maxRetries: 10 });
  if (left.length > 0) throw new Error(`Tests must remove their temporary files. Left behind:\n${left.join("\n")}`);
}
