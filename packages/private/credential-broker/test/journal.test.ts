import { appendFile, chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlatformError } from "@platform-rpc/client";
import { expect, it, onTestFinished } from "vitest";
import { type Journal, openJournal } from "../src/journal.js";
import { createUses } from "../src/uses.js";

async function newPath() {
  const folder = await mkdtemp(join(tmpdir(), "journal-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "uses.journal");
}

/** Opens a journal as the next start of the broker does. Returns what it reports. */
async function open(path: string, now?: () => number) {
  const reported: unknown[] = [];
  const journal: Journal = await openJournal(path, async (...report) => void reported.push(report), now);
  onTestFinished(() => journal.close());
  return { journal, reported };
}

it("after a kill, a use is reported as not sent only without the mark that it may have been sent", async () => {
  const path = await newPath();
  const { journal } = await open(path);
  await journal.begin("counted", "");
  await journal.begin("marked", "");
  await journal.sending("marked");
  await journal.begin("answered", "");
  await journal.sending("answered");
  journal.end("answered", "answered");
  await journal.begin("refused", "");
  journal.forget("refused");
  await journal.begin("last", "");
  // The lines are written in their order: with the last, all are in the file.
  const { reported } = await open(path);
  expect(reported).toEqual([
    ["counted", "not_sent"],
    ["marked", "unknown"],
    ["last", "not_sent"],
  ]);
  expect((await open(path)).reported).toEqual([]);
});

it("a use that could not be reported is reported at the next start", async () => {
  const path = await newPath();
  await (await open(path)).journal.begin("counted", "");
  const failing = await openJournal(path, () => Promise.reject(new Error("down")));
  onTestFinished(() => failing.close());
  expect((await open(path)).reported).toEqual([["counted", "not_sent"]]);
});

it.each<["ITEM_NOT_FOUND" | "UNAVAILABLE", boolean]>([
  ["ITEM_NOT_FOUND", true],
  ["UNAVAILABLE", false],
])("a report that the platform answers with %s is not repeated: %s", async (reason, isOver) => {
  const status = { code: "not_found", status: 404, requestId: "r-1", retryable: false } as const;
  const reportItemUse = () =>
    Promise.reject(new PlatformError({ reason, ...status, message: "No.", detail: undefined }));
  const { report } = createUses({ reportItemUse, useItem: () => expect.unreachable() });
  const outcome = report("u-1", "not_sent").then(
    () => true,
    () => false,
  );
  expect(await outcome).toBe(isOver);
});

it("a key is found for 60 s, also by the next process", async () => {
  const path = await newPath();
  let time = 1_000_000;
  const now = () => time;
  const { journal } = await open(path, now);
  await journal.begin("u-1", "key-1");
  await journal.sending("u-1");
  expect([journal.find("key-1"), journal.find("key-2"), journal.find("")]).toEqual(["sending", undefined, undefined]);
  const { journal: next } = await open(path, now);
  expect(next.find("key-1")).toBe("unknown");
  time += 60_000;
  expect([journal.find("key-1"), next.find("key-1")]).toEqual([undefined, undefined]);
});

it("ignores a line that a power cut has torn", async () => {
  const path = await newPath();
  await (await open(path)).journal.begin("u-1", "");
  await appendFile(path, "sending u-");
  expect((await open(path)).reported).toEqual([["u-1", "not_sent"]]);
  // Also if the disk was full for a moment, and the same process has gone on.
  const { journal } = await open(path);
  await journal.begin("u-2", "");
  await appendFile(path, "sending u-");
  await journal.sending("u-2");
  expect((await open(path)).reported).toEqual([["u-2", "unknown"]]);
});

it("is for its owner only, and refuses a file that others can use", async () => {
  const path = await newPath();
  await open(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o644);
  await expect(open(path)).rejects.toThrow("can be used by other users");
});

it("stays small: what is final and has no key is left out when the file is large", async () => {
  const path = await newPath();
  const { journal } = await open(path);
  await journal.begin("unfinished", "");
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(
      Array.from({ length: 500 }, async (_, at) => {
        await journal.begin(`u-${round}-${at}-${"x".repeat(36)}`, "");
        journal.end(`u-${round}-${at}-${"x".repeat(36)}`, "answered");
      }),
    );
  }
  await journal.begin("last", "");
  expect((await readFile(path)).length).toBeLessThan(1_100_000);
  const { reported } = await open(path);
  expect(reported).toEqual([
    ["unfinished", "not_sent"],
    ["last", "not_sent"],
  ]);
});
