import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, readdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

const environmentOf = (DATA_DIR: string) => ({ DATA_DIR, DEMO: "off", RATE_LIMITS: "off", LOG_LEVEL: "warn" });

/** Starts the app, with the settings of its commands. */
async function start(DATA_DIR: string) {
  const app = await runApp(environmentOf(DATA_DIR));
  const { port } = new URL(app.internalUrl);
  return { ...app, environment: { ...environmentOf(DATA_DIR), INTERNAL_PORT: port } };
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
  it("backs up a running platform, and restores it in a new epoch once it has stopped", async () => {
    const DATA_DIR = await temporaryFolder();
    const backup = join(await temporaryFolder(), "backup");
    const app = await start(DATA_DIR);
    const made = await runCommand(app.environment, "backup", backup);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toMatch(
      /^Backup made: .*backup \(.* KiB\)\. It passed its integrity check\.\nThe backup does not contain the keys/,
    );
    const inUse = await runCommand(app.environment, "restore", backup);
    expect([inUse.code, inUse.out]).toEqual([1, ""]);
    expect(inUse.err).toMatch(/platform\.sqlite is in use/);
    expect(await app.stop()).toBe(0);
    const restored = await runCommand(app.environment, "restore", backup);
    expect([restored.code, restored.err]).toEqual([0, ""]);
    expect(restored.out).toMatch(/^Restored: .*platform\.sqlite from .*backup\./);
    expect(restored.out).toMatch(/Epoch 1 begins[\s\S]*Repeat these[\s\S]*deactivate principals/);
  });

  it("backs up the database of a platform that is not running, and restores it in another place", async () => {
    const DATA_DIR = await temporaryFolder();
    const app = await start(DATA_DIR);
    await app.stop();
    const backup = join(DATA_DIR, "backup");
    expect((await runCommand(app.environment, "backup", backup)).code).toBe(0);
    const elsewhere = join(await temporaryFolder(), "data");
    const restored = await runCommand(environmentOf(elsewhere), "restore", backup, "--gap", "7");
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining("Copy the backup of your keys to")]);
    expect(await readdir(elsewhere)).toEqual(["platform.sqlite"]);
  });

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
      [environmentOf(DATA_DIR), "retsore", existing, /unknown command 'retsore'\. Run with --help/],
    ] as const;
    for (const [environment, command, file, message] of failures) {
      const { code, out, err } = await runCommand(environment, command, file);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(message);
      expect(err).not.toMatch(/^ +at |fault of the program/m);
    }
    expect(await app.stop()).toBe(0);
  });
});
