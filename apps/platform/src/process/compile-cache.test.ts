import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { compileCacheFolder } from "./compile-cache.js";

const isRoot = process.getuid?.() === 0;

it.each<[string, accepted: boolean, prepare: (data: string, cache: string) => Promise<unknown>]>([
  ["a DATA_DIR of this user", true, async () => {}],
  ["a folder of this user", true, (_, cache) => mkdir(cache, { mode: 0o700 })],
  ["a DATA_DIR that does not exist", false, (data) => rm(data, { recursive: true })],
  ["a DATA_DIR that others can write", false, (data) => chmod(data, 0o777)],
  ["a folder above that others can write", false, (data) => chmod(join(data, ".."), 0o777)],
  ["a folder that others can write", false, (_, cache) => mkdir(cache).then(() => chmod(cache, 0o770))],
  ["a folder where others can add files", false, (_, cache) => mkdir(cache).then(() => chmod(cache, 0o1777))],
  ["a link to a folder", false, (data, cache) => symlink(data, cache)],
  ...(isRoot
    ? ([
        ["a DATA_DIR of another user", false, (data) => chown(data, 1234, 1234)],
        ["a folder of another user", false, (_, cache) => mkdir(cache).then(() => chown(cache, 1234, 1234))],
      ] satisfies [string, boolean, (data: string, cache: string) => Promise<unknown>][])
    : []),
])("with %s, compiled code is kept and run: %s", async (_, accepted, prepare) => {
  const above = await mkdtemp(join(tmpdir(), "cache-"));
  onTestFinished(() => rm(above, { recursive: true }));
  const data = join(above, "data");
  const cache = join(data, "compile-cache");
  await mkdir(data);
  await prepare(data, cache);
  expect(await compileCacheFolder(data)).toBe(accepted ? cache : undefined);
  if (accepted) expect((await stat(cache)).mode & 0o777).toBe(0o700);
});
