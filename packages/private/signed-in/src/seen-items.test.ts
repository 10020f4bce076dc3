import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { seenItemsIn } from "./seen-items.js";

const seen = (version: number) => ({ version, hash: `hash of ${version}`, deleted: 0 });

it("programs that store what they have seen at the same time lose nothing, and the larger version stays", async () => {
  const folder = await mkdtemp(join(tmpdir(), "seen-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
  const open = (account = "ada") => seenItemsIn(folder, ["issuer", "acme", account, "v-1"]);
  const written = (number: number) => new Map([[`i-${number}`, seen(1)] as const, ["shared", seen(number)] as const]);
  await Promise.all(numbers.map((number) => open().write(written(number))));
  let isWriting = true;
  const readers = numbers.map(async () => {
    while (isWriting) expect((await open().read()).size).toBe(21);
  });
  // Each replaces the only file.
  for (const number of numbers) await open().write(written(number));
  isWriting = false;
  await Promise.all(readers);
  expect(await open().read()).toEqual(new Map([...numbers.flatMap((number) => [...written(number)])]));
  expect(await open("bob").read()).toEqual(new Map());
  const [path = "", ...others] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json"));
  expect([others, (await stat(join(folder, path))).mode & 0o777]).toEqual([[], 0o600]);
  await writeFile(join(folder, path), "[1]");
  await expect(open().read()).rejects.toThrow("is damaged. Restore it, or remove it to start anew.");
});
