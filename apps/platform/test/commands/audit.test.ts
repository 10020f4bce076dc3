import { execFile } from "node:child_process";
import { cp, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { createSqliteStorage } from "@platform-rpc/server";
import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../../src/testing/call.js";
import { runApp, runProgram } from "../../src/testing/program.js";
import { newTemporaryFolder, temporaryFolder } from "../../src/testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

const environmentOf = (DATA_DIR: string) => ({ DATA_DIR, DEMO: "off", RATE_LIMITS: "off", LOG_LEVEL: "warn" });

/** The data of a stopped platform with a sealed audit trail of two tenants. */
let trail: { readonly folder: string; readonly head: string };
beforeAll(async () => {
  await using started = new AsyncDisposableStack();
  const { path: folder, remove } = await newTemporaryFolder();
  started.defer(remove);
  const app = await runApp(environmentOf(folder), { atEnd: (end) => started.defer(end) });
  const token = await readFile(join(folder, "admin.token"), "utf8");
  for (const tenantId of ["acme", "globex", "acme"]) {
    const principal = { tenantId, principalId: "p-1", active: true };
    const set = await call(app.internalUrl, "platform.internal.v1.AccessAdminService/SetPrincipal", principal, token);
    expect(set.status).toBe(200);
  }
  await app.stop();
  trail = { folder, head: await sealAudit(join(folder, "platform.sqlite")) };
  const made = started.move();
  return () => made.disposeAsync();
});

/** Copies the sealed audit trail for one test. */
async function createTrail() {
  const DATA_DIR = await temporaryFolder();
  await cp(trail.folder, DATA_DIR, { recursive: true });
  return { DATA_DIR, environment: environmentOf(DATA_DIR), path: join(DATA_DIR, "platform.sqlite"), head: trail.head };
}

/** Seals what the app has not sealed. Returns the newest head. */
async function sealAudit(path: string): Promise<string> {
  const storage = createSqliteStorage({ path });
  await storage.sealAudit(1000);
  const newest = (await storage.readAudit(0, 1000)).entries.at(-1);
  await storage.close();
  return newest !== undefined && "trail" in newest ? newest.trail : "";
}

/** Runs statements on a database that no process uses, as someone with access to the file can. */
function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`DROP TRIGGER audit_stand; DROP TRIGGER audit_stay; ${sql}`);
  database.close();
}

/** The script for auditors in docs/operate/audit.md. */
async function scriptOfTheDocs(): Promise<string> {
  const page = await readFile(new URL("../../../../docs/operate/audit.md", import.meta.url), "utf8");
  const [, script = ""] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
  expect(script).toContain("hashlib");
  return script;
}

describe("platform verify-audit and export-audit", () => {
  it("verify the audit trail with and without the platform, and an export of it", async () => {
    const { DATA_DIR, environment, head } = await createTrail();
    const stopped = await runCommand(environment, "verify-audit");
    expect([stopped.code, stopped.err]).toEqual([0, ""]);
    expect(stopped.out).toMatch(/^acme: 2 records, head [0-9a-f]{64} at position \d+$/m);
    expect(stopped.out).toMatch(/^Read: \d+ sealed records of 3 tenants\. 0 records are not sealed yet\.$/m);
    expect(stopped.out).toContain(`Head: ${head} at position`);

    const app = await runApp(environment);
    const { port } = new URL(app.internalUrl);
    const running = { ...environment, INTERNAL_PORT: port };
    const [, tenantHead = ""] = /^acme: .* head ([0-9a-f]{64})/m.exec(stopped.out) ?? [];
    const verified = await runCommand(running, "verify-audit", "--head", head, "--head", tenantHead);
    expect([verified.code, verified.err]).toEqual([0, ""]);
    expect(verified.out).toMatch(/^acme: 2 records/m);

    const file = join(DATA_DIR, "export");
    const exported = await runCommand(running, "export-audit", file);
    expect([exported.code, exported.err]).toEqual([0, ""]);
    expect(exported.out).toMatch(/^Exported: \d+ records to .*export\./);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await runCommand(running, "export-audit", file)).err).toMatch(
      /export was not made\. The file already exists/,
    );
    // The program, whose standard output is a pipe.
    const args = ["export-audit", "--tenant", "acme", "--from", "2020-01-01"];
    const printed = runProgram("main", running, { args });
    expect(await printed.ended).toBe(0);
    const lines = printed.out().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line)).map(({ seal, event }) => (seal ? "seal" : event))).toEqual([
      ...["activated", "activated", "seal"],
    ]);
    expect((await runCommand(running, "export-audit", "--to", "2020-01-01")).out).toBe("");
    expect(await app.stop()).toBe(0);

    expect((await runCommand(environment, "verify-audit", "--file", file, "--head", head)).code).toBe(0);
    const script = join(DATA_DIR, "verify.py");
    await writeFile(script, await scriptOfTheDocs());
    const python = await promisify(execFile)("python3", [script, file]).catch((error: unknown) => error);
    if (!(python instanceof Error && "code" in python && python.code === "ENOENT")) {
      expect(python).toMatchObject({ stdout: expect.stringContaining(`acme ${tenantHead}`) });
    }
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('"principalId":"', '"principalId":"x'));
    const changed = await runCommand(environment, "verify-audit", "--file", file);
    expect(changed.code).toBe(1);
    expect(changed.err).toMatch(/a record was changed or moved, after position \d+ and up to \d+/);
    await writeFile(file, `${text}{"position":1}\n`);
    expect((await runCommand(environment, "verify-audit", "--file", file)).err).toMatch(
      /^Line \d+ of .*export is not a line/,
    );
  });

  it("report a head that is gone, and whether a restore explains that", async () => {
    const { DATA_DIR, environment, path, head } = await createTrail();
    const backup = join(DATA_DIR, "backup");
    expect((await runCommand(environment, "backup", backup)).code).toBe(0);
    const app = await runApp(environment);
    await app.stop();
    const later = await sealAudit(path);
    expect(later).not.toBe(head);
    const unknown = await runCommand(environment, "verify-audit", "--head", "0".repeat(64));
    expect(unknown.code).toBe(1);
    expect(unknown.err).toMatch(/^The head 0{64} is not here\. .*No restore of a backup is recorded\./);

    expect((await runCommand(environment, "restore", backup)).code).toBe(0);
    await sealAudit(path);
    const cut = await runCommand(environment, "verify-audit", "--head", later);
    expect(cut.code).toBe(1);
    expect(cut.err).toMatch(/A backup was restored at .*Z: heads that were sealed after that backup was made are gone/);
    expect((await runCommand(environment, "verify-audit", "--head", head)).code).toBe(0);
  });

  it("report that their output cannot be written, without blaming the data directory", async () => {
    const { environment, path } = await createTrail();
    const under = ["/bin/sh", "-c", 'exec "$@" > /dev/full', "sh"];
    const why = "ENOSPC: no space left on device, write. Check that its disk has free space.\n";
    const full = async (command: string) => {
      const program = runProgram("main", environment, { args: [command], under });
      return [await program.ended, program.err()];
    };
    expect(await full("export-audit")).toEqual([1, `The export was not written to standard output. ${why}`]);
    expect(await full("verify-audit")).toEqual([1, `The output was not written to standard output. ${why}`]);
    tamper(path, "DELETE FROM audit WHERE position = (SELECT min(position) FROM audit)");
    expect(await full("verify-audit")).toEqual([1, expect.stringContaining("a record was removed")]);
  });

  it("report what is wrong with their arguments", async () => {
    const DATA_DIR = await temporaryFolder();
    const environment = { DATA_DIR, DEMO: "off" };
    const failures = [
      [["verify-audit"], /There is no database .*platform\.sqlite\. Set DATA_DIR or DATABASE_URL/],
      [["verify-audit", "--head", "abc"], /Must be 64 hexadecimal digits/],
      [["verify-audit", "--file", join(DATA_DIR, "none")], /none cannot be read: ENOENT/],
      [["export-audit", "--from", "yesterday"], /Must be a date, or a time in UTC that ends with Z/],
      [["export-audit", join(DATA_DIR, "no/where")], /where was not made\. ENOENT.*Check that its folder exists/],
    ] as const;
    for (const [args, message] of failures) {
      const { code, out, err } = await runCommand(environment, ...args);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(message);
      expect(err).not.toMatch(/^ +at /m);
    }
  });
});
