import { expect, it, onTestFinished } from "vitest";
import { refOf } from "../../ports/storage.js";
import { storeRecords } from "../../testing/storage-suite/rules.js";
import { createStorageRecorder } from "../figures.js";
import { inMemory, openDatabase } from "./database/open-database.js";
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
