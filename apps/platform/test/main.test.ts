import { execFile } from "node:child_process";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { call, errorIn } from "../src/testing/call.js";
import { runApp, runProgram } from "../src/testing/program.js";
import { temporaryFolder } from "../src/testing/temporary-folder.js";

const sh = async (line: string) => (await promisify(execFile)("sh", ["-c", line])).stdout;
const portOf = (url: string) => new URL(url).port;

describe("the program", () => {
  it("prints a curl line for each public operation: each returns 200, however often it is run, also after a restart", async () => {
    // A space and a quote in the path: the lines must work unchanged.
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

  it("ends with one message and no stack when a port, a file or a setting cannot be used", async () => {
    const folder = await temporaryFolder();
    const app = await runApp({ DATA_DIR: join(folder, "a"), DEMO: "off" });
    expect(app.curlLines()).toEqual([]);
    const failedStart = async (environment: Record<string, string>) => {
      const program = runProgram("main", environment);
      expect(await program.ended).toBe(1);
      expect(program.out()).toBe("");
      expect(program.err()).not.toMatch(/^ +at /m);
      return program.err();
    };

    const busy = { DATA_DIR: join(folder, "b"), PORT: portOf(app.publicUrl), INTERNAL_PORT: portOf(app.internalUrl) };
    const [inUse, ports, keys, host, settings] = await Promise.all([
      failedStart({ DATA_DIR: join(folder, "a") }),
      failedStart(busy),
      openKeys(join(folder, "keys.json")).then((KEYS_FILE) => failedStart({ DATA_DIR: join(folder, "c"), KEYS_FILE })),
      failedStart({ DATA_DIR: join(folder, "d"), HOST: "192.0.2.1", DEMO: "off" }),
      failedStart({ PORT: "http", DATABASE_URL: "mysql://u:hunter2@db/x" }),
    ]);
    expect(inUse).toMatch(/platform\.sqlite is in use.*data directory/);
    expect(ports).toMatch(/Port \d+ .*in use.*\n.*set PORT .*\nPort \d+ .*in use.*\n.*set INTERNAL_PORT /);
    expect(keys).toMatch(/keys\.json cannot be read: .*chmod 600/);
    expect(host).toMatch(/192\.0\.2\.1 .*\nSet HOST /);
    expect(settings).toMatch(/PORT must .*\n {2}DATABASE_URL must /);
    expect(settings).not.toContain("hunter2");
    expect(await app.stop()).toBe(0);
  });
});

describe("DECISIONS section 5: the keys of a database", () => {
  it("are not replaced silently: the start fails until they are restored, or the operator gives them up by their id", async () => {
    const DATA_DIR = await temporaryFolder();
    const keysFile = join(DATA_DIR, "keys.json");
    const startAndStop = async (environment: Record<string, string> = {}) => {
      const app = await runApp({ DATA_DIR, DEMO: "off", ...environment });
      expect(await app.stop()).toBe(0);
    };
    await startAndStop();
    const keys = await readFile(keysFile, "utf8");
    await rm(keysFile);

    const failedStart = runProgram("main", { DATA_DIR });
    expect(await failedStart.ended).toBe(1);
    expect(failedStart.err()).toMatch(/keys\.json is missing.*\nRestore the file.*\n.*REPLACE_KEYS=[0-9a-f]{16}\n$/);
    await expect(readFile(keysFile)).rejects.toThrow("ENOENT");
    const REPLACE_KEYS = /REPLACE_KEYS=(\w+)/.exec(failedStart.err())?.[1] ?? "";

    await writeFile(keysFile, keys, { mode: 0o600 });
    await startAndStop();
    await rm(keysFile);
    await startAndStop({ REPLACE_KEYS });
    expect(await readFile(keysFile, "utf8")).not.toBe(keys);
    await startAndStop();

    await writeFile(keysFile, keys, { mode: 0o600 });
    const foreign = runProgram("main", { DATA_DIR, REPLACE_KEYS });
    expect(await foreign.ended).toBe(1);
    expect(foreign.err()).toContain(`contains other keys (id ${REPLACE_KEYS})`);
  });
});

describe("DECISIONS section 7: a graceful stop", () => {
  it("on Ctrl+C, signalled by the terminal and by pnpm: answers running calls, rejects new ones, and exits with 0", async () => {
    const { app, exchange, release, token } = await appWithRunningCall();
    app.signal("SIGINT");
    await setTimeout(50);
    app.signal("SIGINT");
    await expect.poll(() => readiness(app.publicUrl)).toBe(503);
    expect((await fetch(`${app.publicUrl}/healthz`)).status).toBe(200);
    const late = await call(app.publicUrl, "platform.v1.VaultService/DeleteItem", {}, token);
    expect(errorIn(late)).toMatchObject({ status: 503, reason: "UNAVAILABLE" });
    await release();
    expect(await exchange).toMatchObject({ status: 200, json: { status: "approved" } });
    expect(await app.ended).toBe(0);
  });

  it("ends on a second signal 2 s later: exits with 1 at once", async () => {
    const { app, exchange } = await appWithRunningCall();
    const cut = expect(exchange).rejects.toThrow("fetch failed");
    app.signal("SIGTERM");
    await expect.poll(() => readiness(app.publicUrl)).toBe(503);
    const again = setInterval(() => app.signal("SIGTERM"), 100);
    expect(await app.ended).toBe(1);
    clearInterval(again);
    await cut;
  });
});

const readiness = (url: string) => fetch(`${url}/readyz`).then(({ status }) => status);

/** Starts an app with an admitted exchange that waits for the signature of its tokens until it is released. */
async function appWithRunningCall() {
  const DATA_DIR = await temporaryFolder();
  const HOLD_SIGNING = join(DATA_DIR, "hold");
  const hold = new URL("../src/testing/hold-signing.ts", import.meta.url).href;
  const app = await runApp({ DATA_DIR, HOLD_SIGNING, NODE_OPTIONS: `--import=${hold}` });
  const [token, body] = await Promise.all([
    readFile(join(DATA_DIR, "demo/access.token"), "utf8"),
    readFile(join(DATA_DIR, "demo/exchange.json"), "utf8"),
  ]);
  await writeFile(HOLD_SIGNING, "");
  const exchange = call(
    app.publicUrl,
    "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
    body,
    token,
  );
  await expect.poll(() => readFile(HOLD_SIGNING, "utf8")).toContain("held");
  return { app, exchange, token, release: () => rm(HOLD_SIGNING) };
}

describe("the demo program", () => {
  it("runs its scenario against the running app, or against a temporary one when none is running", async () => {
    const folder = await temporaryFolder();
    const app = await runApp({ DATA_DIR: folder });
    const alone = runProgram("demo", { DATA_DIR: join(folder, "none"), TMPDIR: folder });
    const ports = { PORT: portOf(app.publicUrl), INTERNAL_PORT: portOf(app.internalUrl) };
    const together = runProgram("demo", { DATA_DIR: folder, ...ports });
    for (const [program, beginning] of [
      [alone, /^No running platform found/],
      [together, /^Using the platform running at http/],
    ] as const) {
      expect([await program.ended, program.err()]).toEqual([0, ""]);
      expect(program.out()).toMatch(beginning);
      expect(program.out()).toMatch(/All steps passed\.\n$/);
      expect(program.out()).not.toMatch(/eyJ|pdc_/);
    }
    expect(await app.stop()).toBe(0);
  });
});

/** Writes a key file that other users can read. */
async function openKeys(path: string): Promise<string> {
  await writeFile(path, "{}");
  await chmod(path, 0o644);
  return path;
}
