import { describe, expect, it, onTestFinished } from "vitest";
import { alreadyDone, unchanged } from "../../domain/model/decision.js";
import { refOf } from "../../ports/storage.js";
import { itemRef, revocationOf } from "../../testing/storage-suite/fixture.js";
import { storeRecords } from "../../testing/storage-suite/rules.js";
import { createStorageRecorder } from "../figures.js";
import { inMemory, openDatabase } from "./database/open-database.js";
import { isRejection } from "./driver.js";
import { createStorage } from "./storage-on-database.js";
import { type CallWrites, createWriter } from "./writer.js";

const key = { tenantId: "tenant-1", collection: "budget", key: "one" };

function open() {
  const database = openDatabase(inMemory);
  const writer = createWriter(database, { madeCheckpoint() {} });
  const commits: (readonly CallWrites[])[] = [];
  const { storage } = createStorage({
    reader: { database, close() {} },
    writer: {
      ...writer,
      commit(calls) {
        commits.push(calls);
        return writer.commit(calls);
      },
    },
    recorder: createStorageRecorder(),
    damage: undefined,
  });
  onTestFinished(storage.close);
  const store = (...values: readonly string[]) =>
    Promise.all(
      values.map((value) => {
        const owner = { principalId: "", oauthClientId: "", createdAt: 0, expiresAt: undefined };
        return storage.transact(refOf(key), storeRecords([{ ...key, ...owner, value }]));
      }),
    );
  return { storage, commits, store };
}

it("a record that several decisions of a batch change is written once, as the last of them left it", async () => {
  const { storage, commits, store } = open();
  await store("1", "2", "3");
  await store("4", "5");
  expect(await storage.readRecords([key])).toMatchObject([{ value: "5", revision: 5 }]);
  const written = commits.map((calls) =>
    calls.map(({ writes }) => writes.map((write) => (write.kind === "record" ? write.record.value : write.kind))),
  );
  expect(written).toEqual([
    [[], [], ["3"]],
    [[], ["5"]],
  ]);
});

const ref = { kind: "item", ...itemRef("item-1") } as const;
const asPrincipal = { ...ref, principalId: "principal-1" };
const writing = { outcome: undefined, writes: [revocationOf("id")] };

describe("rejections take the same time whatever exists (DECISIONS section 3)", () => {
  it.each([
    ["evens out a decision for a principal that writes nothing", asPrincipal, unchanged(undefined), true],
    ["does not even out a decision that writes", asPrincipal, writing, false],
    ["does not even out a retry that returns what exists", asPrincipal, alreadyDone(undefined), false],
    ["does not even out a decision without a principal", ref, unchanged(undefined), false],
    ["does not even out a decision that is not about an item", refOf(), unchanged(undefined), false],
  ])("%s", (_, asked, decision, rejected) => {
    expect(isRejection(asked, decision)).toBe(rejected);
  });
});
