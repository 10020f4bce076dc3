import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { seenItemsIn } from "./seen-items.js";

const seen = (version: number) => ({ version, hash: `hash of ${version}`, deleted: 0 });

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "seen-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("programs that store what they have seen at the same time lose nothing, and the larger version stays", async () => {
  const folder = await newFolder();
  const programs = Array.from({ length: 8 }, () => seenItemsIn(folder, ["issuer", "acme", "ada", "v-1"]));
  await Promise.all(
    programs.flatMap((store, index) => [
      store.write(new Map([[`i-${index}`, seen(1)]])),
      store.write(new Map([["shared", seen(index + 1)]])),
    ]),
  );
  const [store = expect.unreachable()] = programs;
  const items = [...programs.map((_, index) => [`i-${index}`, seen(1)] as const), ["shared", seen(8)] as const];
  expect(await store.read()).toEqual(new Map(items));
  await store.write(new Map());
  const [name = ""] = await readdir(join(folder, "seen-items"));
  const files = await readdir(join(folder, "seen-items", name));
  expect(files).toHaveLength(1);
  const path = join(folder, "seen-items", name, files[0] ?? "");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await seenItemsIn(folder, ["issuer", "acme", "bob", "v-1"]).read()).toEqual(new Map());
  await writeFile(path, "[1]");
  await expect(store.read()).rejects.toThrow(`${path} is damaged. Restore it, or remove it to start anew.`);
});
