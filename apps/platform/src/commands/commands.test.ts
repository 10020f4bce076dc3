import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { call, errorIn } from "../testing/call.js";
import { runApp, runProgram } from "../testing/program.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

const service = "platform.internal.v1.VaultAdminService/";
const vault = { tenantId: "acme", vaultId: "personal" };
const payload = { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 };
const content = { kind: "login", titleHash: "", encryptedPayload: payload, wrappedKeys: [] };

const withCursor = z.object({ cursor: z.object({ sequence: z.number() }) });
const page = z.object({ changes: z.array(z.unknown()) });

const environmentOf = (DATA_DIR: string) => ({ DATA_DIR, DEMO: "off", RATE_LIMITS: "off", LOG_LEVEL: "warn" });

/** Runs a command of the built program to its end. Most tests run it in this process instead. */
async function run(environment: Readonly<Record<string, string>>, ...args: string[]) {
  const program = runProgram("main", environment, { args });
  return { code: await program.ended, out: program.out(), err: program.err() };
}

async function start(DATA_DIR: string) {
  const app = await runApp(environmentOf(DATA_DIR));
  const token = await readFile(join(DATA_DIR, "admin.token"), "utf8");
  const admin = (method: string, body: object) => call(app.internalUrl, service + method, { ...vault, ...body }, token);
  const { port } = new URL(app.internalUrl);
  return { ...app, token, admin, environment: { ...environmentOf(DATA_DIR), INTERNAL_PORT: port } };
}

describe("docs/backup.md", () => {
  const page = readFileSync(new URL("../../../../docs/backup.md", import.meta.url), "utf8");
  const [, rehearsal = ""] = /^## Test your backups\n.*?^```sh\n(.*?)```/ms.exec(page) ?? [];

  it("tests a backup in an empty folder: the app starts on it, with a copy of the keys", async () => {
    const DATA_DIR = await temporaryFolder();
    const backups = await temporaryFolder();
    const app = await start(DATA_DIR);
    expect(await runCommand(app.environment, "backup", join(backups, "platform-2026-11-21"))).toMatchObject({
      code: 0,
    });
    await cp(join(DATA_DIR, "keys.json"), join(backups, "keys/keys.json"));
    const script = rehearsal
      .replaceAll("/tmp/rehearsal", join(backups, "rehearsal"))
      .replaceAll("/var/backups", backups)
      .replaceAll(/\b(\w*PORT)=\d+/g, "$1=0")
      // So that a signal reaches the app instead of the shell.
      .replace("node --disable-sigusr1", "exec node --disable-sigusr1");
    const cwd = fileURLToPath(new URL("../../../..", import.meta.url));
    const { PATH = "" } = process.env;
    const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${PATH}` };
    const program = spawn("sh", ["-e", "-c", script], { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(program, "exit");
    onTestFinished(() => {
      program.kill("SIGKILL");
    });
    let printed = "";
    for await (const chunk of program.stdout) {
      printed += chunk;
      if (printed.includes("Ctrl+C")) break;
    }
    expect(printed).toMatch(/The backup does not contain the keys\. \S+ is unchanged\./);
    const [, url = ""] = /^ {2}public +(\S+)/m.exec(printed) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    program.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await app.stop()).toBe(0);
  });
});

describe("platform trust-clock", () => {
  it("trusts the clock of the running platform, and explains what to do when none is running", async () => {
    const DATA_DIR = await temporaryFolder();
    const missing = await runCommand(environmentOf(DATA_DIR), "trust-clock");
    expect([missing.code, missing.out]).toEqual([1, ""]);
    expect(missing.err).toMatch(/^Cannot read .*admin\.token\. Start the platform/);
    const app = await start(DATA_DIR);
    const trusted = await runCommand(app.environment, "trust-clock");
    expect([trusted.code, trusted.err]).toEqual([0, ""]);
    expect(trusted.out).toMatch(/^The clock is trusted: .* Shredding, purging and key rotation resume\.\n$/);
    const elsewhere = await runCommand({ ...app.environment, INTERNAL_PORT: "1" }, "trust-clock");
    expect(elsewhere.err).toMatch(/No response from a platform .*:1\. Set DATA_DIR, INTERNAL_HOST/);
    expect(await app.stop()).toBe(0);
  });
});

describe("platform backup and restore", () => {
  it("backs up a running platform; after a restore it serves the backed-up data in a new epoch", async () => {
    const DATA_DIR = await temporaryFolder();
    const backup = join(await temporaryFolder(), "backup");
    const before = await start(DATA_DIR);
    await before.admin("CreateVault", {});
    const statuses = new Set<number>();
    let put = 0;
    let writing = true;
    const writer = (async () => {
      while (writing) {
        statuses.add((await before.admin("PutItem", { itemId: `item-${put}`, baseVersion: 0, ...content })).status);
        put += 1;
      }
    })();
    await expect.poll(() => put, { timeout: 30_000 }).toBeGreaterThan(3);
    const acknowledged = put;
    const made = await run(before.environment, "backup", backup);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toMatch(
      /^Backup made: .*backup \(.* KiB\)\. It passed its integrity check\.\nThe backup does not contain the keys/,
    );
    writing = false;
    await writer;
    expect([...statuses]).toEqual([200]);
    const lost = await before.admin("PutItem", { itemId: "lost", baseVersion: 0, ...content });
    const { sequence: lostCursor } = withCursor.parse(lost.json).cursor;

    const failedRestore = await run(before.environment, "restore", backup);
    expect([failedRestore.code, failedRestore.out]).toEqual([1, ""]);
    expect(failedRestore.err).toMatch(/platform\.sqlite is in use/);
    expect(await before.stop()).toBe(0);

    const restored = await run(environmentOf(DATA_DIR), "restore", backup);
    expect([restored.code, restored.err]).toEqual([0, ""]);
    expect(restored.out).toMatch(/^Restored: .*platform\.sqlite from .*backup\./);
    expect(restored.out).toMatch(/Epoch 1 begins[\s\S]*Repeat these[\s\S]*deactivate principals/);

    const after = await start(DATA_DIR);
    expect((await after.admin("GetItem", { itemId: `item-${acknowledged - 1}` })).status).toBe(200);
    expect(errorIn(await after.admin("GetItem", { itemId: "lost" })).reason).toBe("ITEM_NOT_FOUND");
    const ahead = await after.admin("ListChanges", { afterSequence: lostCursor, limit: 500 });
    expect(errorIn(ahead)).toMatchObject({ status: 400, reason: "CURSOR_AHEAD" });
    const all = await after.admin("ListChanges", { afterSequence: 1, limit: 500 });
    expect(page.parse(all.json).changes.length).toBeGreaterThanOrEqual(acknowledged);
    const stale = await call(after.internalUrl, `${service}GetItem`, { ...vault, itemId: "item-0" }, before.token);
    expect(errorIn(stale)).toMatchObject({ status: 401, reason: "UNAUTHENTICATED" });
    expect(await after.stop()).toBe(0);
  }, 120_000);

  it("backs up the database of a platform that is not running", async () => {
    const DATA_DIR = await temporaryFolder();
    const app = await start(DATA_DIR);
    await app.admin("CreateVault", {});
    await app.stop();
    const backup = join(DATA_DIR, "backup");
    expect((await runCommand(environmentOf(DATA_DIR), "backup", backup)).code).toBe(0);
    const elsewhere = await temporaryFolder();
    await mkdir(join(elsewhere, "data"));
    const restored = await runCommand(environmentOf(join(elsewhere, "data")), "restore", backup, "--gap", "7");
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining("Copy the backup of your keys to")]);
    expect(await readdir(join(elsewhere, "data"))).toEqual(["platform.sqlite"]);
  }, 60_000);

  it("reports what is wrong, where, and what to do", async () => {
    const DATA_DIR = await temporaryFolder();
    const app = await start(DATA_DIR);
    const existing = join(DATA_DIR, "existing");
    await writeFile(existing, "");
    const failures = [
      [app.environment, "backup", existing, /existing was not made\. The file already exists and is not overwritten/],
      [app.environment, "backup", join(DATA_DIR, "none/backup"), /backup was not made\. The folder does not exist/],
      [
        { ...app.environment, INTERNAL_PORT: "1" },
        "backup",
        join(DATA_DIR, "b"),
        /No response from a platform .*:1\. .*Set DATA_DIR, INTERNAL_HOST/,
      ],
      [environmentOf(join(DATA_DIR, "none")), "backup", join(DATA_DIR, "b"), /There is no database to back up/],
      [
        environmentOf(join(DATA_DIR, "other")),
        "restore",
        existing,
        /Nothing was restored\. .*existing is not a backup/,
      ],
      [environmentOf(DATA_DIR), "restore", existing, /Nothing was restored|is in use/],
      [environmentOf(DATA_DIR), "retsore", existing, /unknown command 'retsore'\. Run with --help/],
    ] as const;
    for (const [environment, command, file, message] of failures) {
      const { code, out, err } = await runCommand(environment, command, file);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(message);
      expect(err).not.toMatch(/^ +at |fault of the program/m);
    }
    expect(await app.stop()).toBe(0);
  }, 120_000);
});
