import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "./database.js";
import { createTestDatabase, runSql } from "./testing/test-database.js";

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
