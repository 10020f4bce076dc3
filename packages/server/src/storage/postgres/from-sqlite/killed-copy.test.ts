import { expect, it } from "vitest";
import { startChild } from "../../sqlite/testing/child-process.js";
import { temporaryPath } from "../../sqlite/testing/temporary-path.js";
import { contentKey } from "../testing/open-storages.js";
import { createTestDatabase } from "../testing/test-database.js";
import { copySqliteToPostgres } from "./copy-sqlite-to-postgres.js";
import { createSource, keysId, richCalls } from "./testing/rich-database.js";

it("a copy whose process is killed at any point continues, and copies every row once", async () => {
  const path = temporaryPath();
  await createSource(path, richCalls(4), true);
  const url = await createTestDatabase();
  const reached: string[] = [];
  for (const batches of [1, 3, 10, 25]) {
    const child = startChild(
      new URL("./testing/copy-child.ts", import.meta.url).href,
      ...[path, url, Buffer.from(contentKey).toString("hex"), keysId],
    );
    await expect.poll(() => child.output().split("\n").length > batches, { interval: 1 }).toBe(true);
    await child.kill();
    reached.push(child.output().trim().split("\n").at(-1) ?? "");
  }
  expect(new Set(reached).size).toBe(reached.length);
  expect(await copySqliteToPostgres({ path, url, contentKey, keysId, now: 1 })).toMatchObject({ how: "resumed" });
});
