import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@platform-rpc/testbed/network";
import { describe, expect, it } from "vitest";
import { runApp, runProgram } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

/** Returns the settings of a platform on SQLite, with a fixed internal port. */
async function newPlatform() {
  const DATA_DIR = await temporaryFolder();
  const INTERNAL_PORT = String(await freePort());
  return {
    environment: { DATA_DIR, INTERNAL_PORT },
    database: join(DATA_DIR, "platform.sqlite"),
    witness: join(DATA_DIR, "witness.json"),
    async readiness() {
      const response = await fetch(`http://127.0.0.1:${INTERNAL_PORT}/readyz`);
      return { code: response.status, ...JSON.parse(await response.text()) };
    },
  };
}

describe("DECISIONS section 9: a database that knows less than its processes is not served, on SQLite", () => {
  it.each<[what: string, signal: NodeJS.Signals, damage: (database: string, copy: string) => Promise<void>]>([
    ["an older file, copied over the database,", "SIGTERM", (database, copy) => copyFile(copy, database)],
    [
      "a database whose newest changes were in a -wal that was damaged after kill -9",
      "SIGKILL",
      async (database) => {
        const log = await readFile(`${database}-wal`);
        // SQLite drops everything from the first page whose checksum is wrong.
        log[100] = (log[100] ?? 0) ^ 1;
        await writeFile(`${database}-wal`, log);
      },
    ],
  ])("%s is not served until it is restored", async (_, signal, damage) => {
    const { environment, database, witness, readiness } = await newPlatform();
    const copy = join(await temporaryFolder(), "copy");
    await (await runApp(environment)).stop();
    await copyFile(database, copy);
    const before = JSON.parse(await readFile(witness, "utf8"));
    // The next start writes tokens, and so rows of the audit trail.
    const later = await runApp(environment);
    const known = async () => JSON.parse(await readFile(witness, "utf8")).newest.position;
    await expect.poll(known).toBeGreaterThan(before.newest.position);
    later.signal(signal);
    await later.ended;
    await damage(database, copy);

    const app = runProgram("main", environment);
    const now = () => readiness().catch(() => {});
    await expect.poll(now).toMatchObject({ code: 503, reason: "older" });
    expect((await readiness()).note).toContain(`the process knew record ${await known()} of the audit trail`);
    expect((await readiness()).note).toContain("run `platform restore` with its path");
    const restore = runProgram("main", environment, { args: ["restore", copy] });
    expect([await restore.ended, restore.err()]).toEqual([0, ""]);
    await expect.poll(now).toMatchObject({ code: 200 });
    expect(await app.stop()).toBe(0);
  });
});
