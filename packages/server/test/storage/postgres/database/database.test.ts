import { describe, expect, it, onTestFinished } from "vitest";
import { createStorageRecorder } from "../../../../src/storage/figures.js";
import { openDatabase } from "../../../../src/storage/postgres/database/database.js";
import { createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";

describe("a connection that the server ends while it is in use", () => {
  it("fails the work with an unknown effect, and the next work gets a new connection", async () => {
    const url = await createTestDatabase();
    const database = openDatabase({ url, connections: 1, timeout: 10_000 });
    onTestFinished(() => database.close());
    const work = database.withClient(async (client) => {
      const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      const ended = new Promise((resolve) => client.once("end", resolve));
      await runSql(url, "SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
      // Node throws an error event that nobody listens to, which would fail this test.
      await ended;
      await client.query("SELECT 1");
    });
    await expect(work).rejects.toMatchObject({ failure: "unknown" });
    expect(await database.call("SELECT 1")).toBe(1);
  });
});

it("a URL with a certificate that cannot be read is reported like a server that cannot be reached", async () => {
  const url = "postgres://127.0.0.1:1/none?sslmode=verify-full&sslrootcert=/nowhere/ca.pem";
  const database = openDatabase({ url, connections: 1, timeout: 10_000 });
  onTestFinished(() => database.close());
  await expect(database.call("SELECT 1")).rejects.toMatchObject({ failure: "again", cause: { code: "ENOENT" } });
});

it("the figures contain the used and the idle connections, and the statements that wait for one", async () => {
  const url = await createTestDatabase();
  const recorder = createStorageRecorder();
  const database = openDatabase({ url, connections: 1, timeout: 10_000, recorder });
  const now = () => recorder.read().connections;
  expect(now()).toEqual({ used: 0, idle: 0, pending: 0 });
  let second: Promise<unknown> | undefined;
  await database.withClient(async () => {
    expect(now()).toEqual({ used: 1, idle: 0, pending: 0 });
    second = database.call("SELECT 1");
    expect(now()).toEqual({ used: 1, idle: 0, pending: 1 });
  });
  await second;
  expect(now()).toEqual({ used: 0, idle: 1, pending: 0 });
  await database.close();
  await expect.poll(now).toEqual({ used: 0, idle: 0, pending: 0 });
});
