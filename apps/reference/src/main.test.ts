import { execFile } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { call, refusalIn } from "./testing/call.js";
import { runApp, runProgram } from "./testing/program.js";
import { temporaryFolder } from "./testing/temporary-folder.js";

const sh = async (line: string) => (await promisify(execFile)("sh", ["-c", line])).stdout;
const portOf = (url: string) => new URL(url).port;

describe("the program", () => {
  it("prints a curl line for each public operation: each answers 200, pasted as often as one likes, also after a restart", async () => {
    // A blank and a quote in the path: lines are to be pasted as they are.
    const DATA_DIR = join(await temporaryFolder(), "it's data");
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const app = await runApp({ DATA_DIR });
      const lines = app.curlLines();
      expect(lines).toHaveLength(2);
      for (const line of [...lines, ...lines, ...lines]) {
        expect(await sh(`${line} -w '\n%{http_code}'`)).toMatch(/\n200$/);
      }
      expect(await app.stop(signal)).toBe(0);
      expect(app.out()).not.toMatch(/eyJ|pdc_/);
    }
  });

  it("ends with one message and no stack when what it needs is taken or cannot be used", async () => {
    const folder = await temporaryFolder();
    const app = await runApp({ DATA_DIR: join(folder, "a"), DEMO: "off" });
    expect(app.curlLines()).toEqual([]);
    const refused = async (environment: Record<string, string>) => {
      const program = runProgram("main", environment);
      expect(await program.ended).toBe(1);
      expect(program.out()).toBe("");
      expect(program.err()).not.toMatch(/^ +at /m);
      return program.err();
    };

    const busy = { DATA_DIR: join(folder, "b"), PORT: portOf(app.publicUrl), INTERNAL_PORT: portOf(app.internalUrl) };
    const [inUse, ports, keys, host, settings] = await Promise.all([
      refused({ DATA_DIR: join(folder, "a") }),
      refused(busy),
      openKeys(join(folder, "keys.json")).then((KEYS_FILE) => refused({ DATA_DIR: join(folder, "c"), KEYS_FILE })),
      refused({ DATA_DIR: join(folder, "d"), HOST: "192.0.2.1", DEMO: "off" }),
      refused({ PORT: "http", DATABASE_URL: "postgres://u:hunter2@db/x" }),
    ]);
    expect(inUse).toMatch(/platform\.sqlite is in use.*data directory/);
    expect(ports).toMatch(/Port \d+ .*in use.*\n.*set PORT .*\nPort \d+ .*in use.*\n.*set INTERNAL_PORT /);
    expect(keys).toMatch(/keys\.json cannot be read: .*chmod 600/);
    expect(host).toMatch(/192\.0\.2\.1 .*\nSet HOST /);
    expect(settings).toMatch(/PORT must .*\n {2}DATABASE_URL must not be set/);
    expect(settings).not.toContain("hunter2");
    expect(await app.stop()).toBe(0);
  });
});

describe("DECISIONS section 7: a graceful stop", () => {
  it("fails readiness and refuses new calls while a call is running; a second signal ends it at once", async () => {
    const DATA_DIR = await temporaryFolder();
    const app = await runApp({ DATA_DIR });
    const token = await readFile(join(DATA_DIR, "demo/access.token"), "utf8");
    await beginCall(portOf(app.publicUrl), token);
    const ended = app.stop();
    const ready = () => fetch(`${app.publicUrl}/readyz`).then(({ status }) => status);
    await expect.poll(ready).toBe(503);
    expect((await fetch(`${app.publicUrl}/healthz`)).status).toBe(200);
    const late = await call(app.publicUrl, "platform.v1.VaultService/DeleteItem", {}, token);
    expect(refusalIn(late)).toMatchObject({ status: 503, reason: "UNAVAILABLE" });
    await app.stop();
    expect(await ended).toBe(1);
  });
});

/** Begins a call whose body never comes, and resolves once the gate has let it in. */
function beginCall(port: string, token: string): Promise<void> {
  const head = [
    "POST /platform.v1.VaultService/DeleteItem HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    "Connect-Protocol-Version: 1",
    `Authorization: Bearer ${token}`,
    "Content-Length: 2",
    "Expect: 100-continue",
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
    // "100 Continue" is said after the gate.
    socket.once("data", () => resolve());
    socket.on("error", reject);
  });
}

describe("the demo program", () => {
  it("tells its story against the app that runs, and against one of its own when none does", async () => {
    const folder = await temporaryFolder();
    const app = await runApp({ DATA_DIR: folder });
    const alone = runProgram("demo", { DATA_DIR: join(folder, "none"), TMPDIR: folder });
    const ports = { PORT: portOf(app.publicUrl), INTERNAL_PORT: portOf(app.internalUrl) };
    const together = runProgram("demo", { DATA_DIR: folder, ...ports });
    for (const [program, beginning] of [
      [alone, /^No platform is running here/],
      [together, /^This demo talks to the platform that is running at http/],
    ] as const) {
      expect([await program.ended, program.err()]).toEqual([0, ""]);
      expect(program.out()).toMatch(beginning);
      expect(program.out()).toMatch(/Every step did what it says\.\n$/);
      expect(program.out()).not.toMatch(/eyJ|pdc_/);
    }
    expect(await app.stop()).toBe(0);
  });
});

/** A key file that others can read: whoever could may have. */
async function openKeys(path: string): Promise<string> {
  await writeFile(path, "{}");
  await chmod(path, 0o644);
  return path;
}
