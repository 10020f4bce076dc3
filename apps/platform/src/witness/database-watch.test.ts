import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "@platform-rpc/server";
import type { HistoryReading } from "@platform-rpc/server/host";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { createDatabaseWatch, ReplacedDatabaseError } from "./database-watch.js";
import { readWitness } from "./witness-file.js";

const reading = (position: number, changes: Partial<HistoryReading> = {}): HistoryReading => ({
  installation: "2026-11-01",
  database: "server/1/2",
  timeline: "00000001",
  announcedAt: 0,
  newest: { position, digest: `row-${position}`, at: position },
  sealed: undefined,
  knownRow: undefined,
  knownSeal: undefined,
  lostChange: undefined,
  events: [],
  ...changes,
});
const change = { tenantId: "t", vaultId: "v", itemId: "i", sequence: 9, version: 1 };

/** Creates a watch of a database that a test changes. */
async function watched(file: string, recentChanges = () => [change]) {
  const messages: string[] = [];
  const log = (_: object, message: string) => messages.push(message);
  let found: HistoryReading | Error = reading(1);
  const queries: unknown[] = [];
  const watch = await createDatabaseWatch({
    engine: "PostgreSQL",
    file,
    read: async (query) => {
      queries.push(query);
      if (found instanceof Error) throw found;
      return found;
    },
    recentChanges,
    logger: { info: log, error: log },
  });
  return {
    watch,
    messages,
    queries,
    see: (next: HistoryReading | Error) => {
      found = next;
    },
  };
}

it("what was read is in the file, private, and the next process continues from it", async () => {
  const file = join(await temporaryFolder(), "witness.json");
  const first = await watched(file);
  const event = { position: 2, at: 2, subject: "account:ada", event: "recovery code replaced" };
  first.see(reading(2, { events: [event] }));
  expect(await first.watch.look()).toBe("served");
  const stored = await readFile(file, "utf8");
  expect(JSON.parse(stored)).toMatchObject({ newest: { position: 2 }, changes: [change], events: [event] });
  // Nothing has changed, so nothing is written.
  first.see(reading(2, { knownRow: "row-2" }));
  await writeFile(file, stored.replace("{", "{ "));
  expect(await first.watch.look()).toBe("served");
  expect(await readFile(file, "utf8")).toBe(stored.replace("{", "{ "));

  const second = await watched(file);
  second.see(reading(1));
  await expect(second.watch.check()).rejects.toThrow(ReplacedDatabaseError);
  expect(second.queries).toEqual([
    expect.objectContaining({ known: expect.objectContaining({ newest: { position: 2, digest: "row-2", at: 2 } }) }),
  ]);
});

it("a history that cannot be read is reported once a minute: the check of the storage reports an outage", async () => {
  const { watch, see } = await watched(join(await temporaryFolder(), "witness.json"));
  see(new StorageError("unavailable"));
  expect(await watch.look()).toBeInstanceOf(StorageError);
  for (let second = 1; second < 60; second += 1) await watch.check();
  await expect(watch.check()).rejects.toThrow(StorageError);
});

it("what was acknowledged before an outage of the history is asked for after it, although newer changes came meanwhile", async () => {
  let sequence = 0;
  const { watch, see, queries } = await watched(join(await temporaryFolder(), "witness.json"), () => [
    { ...change, sequence },
  ]);
  const asked = async (next: number, found: HistoryReading | Error) => {
    sequence = next;
    see(found);
    await watch.look();
    return queries.at(-1);
  };
  const of = (...sequences: number[]) => ({ changes: sequences.map((each) => ({ ...change, sequence: each })) });
  const outage = new StorageError("unavailable");
  expect(await asked(1, reading(1))).toMatchObject(of(1));
  expect(await asked(2, outage)).toMatchObject(of(2));
  expect(await asked(3, outage)).toMatchObject(of(2, 3));
  expect(await asked(4, reading(4, { knownRow: "row-1" }))).toMatchObject(of(2, 4));
  expect(await asked(5, reading(5, { knownRow: "row-4" }))).toMatchObject(of(5));
});

it("a witness that cannot be written is logged once, and the process remembers", async () => {
  const { watch, see, messages } = await watched(join(await temporaryFolder(), "missing", "witness.json"));
  for (const position of [1, 2, 3]) {
    see(reading(position, { knownRow: `row-${position - 1}` }));
    expect(await watch.look()).toBe("served");
  }
  expect(messages.filter((message) => message === "the witness cannot be written")).toHaveLength(1);
  see(reading(2));
  expect(await watch.look()).toMatchObject({ comparison: "older" });
});

it("a failover that has lost nothing is logged, and the database is served", async () => {
  const { watch, see, messages } = await watched(join(await temporaryFolder(), "witness.json"));
  await watch.look();
  see(reading(2, { knownRow: "row-1", timeline: "00000002" }));
  expect(await watch.look()).toBe("served");
  expect(messages).toContain("PostgreSQL failed over, and lost nothing");
});

describe("a witness whose bytes have changed", () => {
  const rest = '"installation":"2026-11-01","database":"server/1/2","announcedAt":0,"changes":[],"events":[]}';
  const newest = (position: number) => `"newest":{"position":${position},"digest":"row-1","at":1},`;
  const checksum = (text: string) => text.replace(/}$/, `,"checksum":"${hash("sha256", text)}"}`);

  it.each([
    ["a part of it is missing", '{"version":1,'],
    ["one bit of a position", checksum(`{"version":1,${newest(1)}${rest}`).replace('"position":1', '"position":3')],
    [
      "one bit of the name of the checksum",
      checksum(`{"version":1,${newest(1)}${rest}`).replace("checksum", "bhecksum"),
    ],
    ["one bit of the engine", checksum(`{"version":1,${newest(1)}${rest}`).replace("server/1", "rerver/1")],
  ])("is an alarm, and no reason to restore: %s", async (_, damaged) => {
    const file = join(await temporaryFolder(), "witness.json");
    await writeFile(file, damaged);
    await expect(readWitness(file, "PostgreSQL")).rejects.toThrow(/is damaged: .* no reason to restore a backup/);
    const { watch, messages } = await watched(file);
    expect(await watch.look()).toBe("served");
    expect(messages).toEqual([expect.stringMatching(/is damaged: .* A new witness is written/)]);
    expect(await readFile(`${file}.damaged`, "utf8")).toBe(damaged);
    expect(await readWitness(file, "PostgreSQL")).toMatchObject({ history: { newest: { position: 1 } } });
  });

  it("is not suspected of a file of an earlier version, which gets a checksum", async () => {
    const file = join(await temporaryFolder(), "witness.json");
    await writeFile(file, `{"version":1,${newest(1)}${rest}`);
    const { watch, see, messages } = await watched(file);
    see(reading(1, { knownRow: "row-1", timeline: undefined }));
    expect([await watch.look(), messages]).toEqual(["served", []]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

it("a lost change is named, and stays known to the next process", async () => {
  const file = join(await temporaryFolder(), "witness.json");
  const { watch, see } = await watched(file);
  await watch.look();
  see(reading(5, { knownRow: "row-1", lostChange: change }));
  expect(await watch.look()).toMatchObject({
    message: expect.stringContaining("sequence 9 of the vault v of the tenant t"),
  });
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ changes: [change] });
});
