import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { breaking } from "./breaking.ts";
import { lock } from "./check.ts";
import { copyContract } from "./contract-copy.ts";
import { lockSchema } from "./lock/schema.ts";
import { readImage } from "./read-contract.ts";
import { release } from "./release.ts";
import { releasedImage, releasedLock } from "./released-contract.ts";

const read = (root: string, file: string) => readFileSync(join(root, file));
const first = { first: true };

it("gives the same bytes wherever and however often the same contract is released", async () => {
  using here = copyContract();
  using there = here.fork();
  expect(await release(here.root, first)).toEqual([]);
  expect(await release(there.root, first)).toEqual([]);
  expect(await release(there.root, { first: false })).toEqual([]);
  for (const file of [releasedImage, releasedLock]) {
    expect(read(here.root, file).equals(read(there.root, file))).toBe(true);
  }
});

it("promises the public contract only: nothing of platform.internal is released", async () => {
  using copy = copyContract();
  await release(copy.root, first);
  const files = [...readImage(read(copy.root, releasedImage)).files].map((file) => file.name);
  expect(files).toContain("platform/v1/vault_service");
  expect(files).toContain("google/rpc/error_details");
  expect(files.filter((file) => file.includes("internal"))).toEqual([]);
  expect(read(copy.root, releasedLock).toString()).not.toMatch(/platform\.internal|CURSOR_AHEAD/);
});

it("releases what was added, although its changeset is used up by then", async () => {
  using copy = copyContract();
  await release(copy.root, first);
  copy.edit("v1/identity_gateway_service.proto", /max_len: 256/, "max_len: 512");
  await lock(copy.root);
  expect(await breaking(copy.root)).toHaveLength(1);
  expect(await release(copy.root, { first: false })).toEqual([]);
  expect(await breaking(copy.root)).toEqual([]);
});

it("refuses what breaks the contract before it, and leaves that as it was", async () => {
  using copy = copyContract();
  await release(copy.root, first);
  const before = read(copy.root, releasedImage);
  copy.edit("v1/item.proto", /uint32 sequence/, "int32 sequence");
  await lock(copy.root);
  const [finding] = await release(copy.root, { first: false });
  expect(finding?.rule).toBe("field-type-changed");
  expect(read(copy.root, releasedImage).equals(before)).toBe(true);
});

it("refuses what lint refuses", async () => {
  using copy = copyContract();
  copy.edit("v1/item.proto", / {2}\/\/ The vault whose history this is\.\n/, "");
  await lock(copy.root);
  expect((await release(copy.root, first)).map(({ rule }) => rule)).toEqual(["buf:COMMENT_FIELD"]);
  expect(() => read(copy.root, releasedImage)).toThrow("ENOENT");
});

it("refuses a lock that is out of date, so that both locks tell of the same contract", async () => {
  using copy = copyContract();
  writeFileSync(join(copy.root, "proto/contract.lock.json"), "{}\n");
  expect((await release(copy.root, first)).map(({ rule }) => rule)).toEqual(["lock-drift"]);
});

it("writes a lock that can be read again", async () => {
  using copy = copyContract();
  await release(copy.root, first);
  const text = read(copy.root, releasedLock).toString();
  expect(lockSchema.parse(JSON.parse(text)).format).toBe(1);
  expect(read(copy.root, "proto/contract.lock.json").toString()).toBe(text);
});
