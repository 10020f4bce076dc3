import { describe, expect, it } from "vitest";
import type { Ref } from "../../ports/storage.js";
import { commit, load } from "./batch-statements.js";
import { createKeyCollector } from "./load-keys.js";

/** Returns the functions of the database that are called by the only statement of some work. */
async function calledBy(work: (run: <Result>(sql: string) => Promise<Result>) => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  await work(async (sql) => {
    statements.push(sql);
    // Nothing is loaded or committed.
    return [{}] as never;
  });
  expect(statements).toHaveLength(1);
  return [...statements.join().matchAll(/platform_\w+/g)].map(([name]) => name);
}

const item: Ref = { kind: "item", tenantId: "t-1", vaultId: "v-1", itemId: "i-1", principalId: "p-1" };
const record: Ref = { kind: "record", collection: "session", key: "key-1" };

describe("the statements of a batch", () => {
  it.each([
    { name: "an item", refs: [item], functions: ["platform_load_1"] },
    { name: "an item and a record", refs: [item, record], functions: ["platform_load_1", "platform_load_records_1"] },
  ])("that loads $name: one, with the functions $functions", async ({ refs, functions }) => {
    const keys = createKeyCollector();
    for (const ref of refs) keys.addRef(ref);
    expect(await calledBy((run) => load(run, keys.request()))).toEqual(functions);
  });

  it.each([
    { records: false, functions: ["platform_commit_1"] },
    { records: true, functions: ["platform_write_records_2", "platform_commit_1", "platform_compare_records_1"] },
  ])("that commits, with records: $records: one, with the functions $functions", async ({ records, functions }) => {
    expect(await calledBy((run) => commit(run, { json: "{}", records, changes: [] }))).toEqual(functions);
  });
});
