import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { call } from "../../src/testing/call.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

describe("a process that receives signals from another process of the same user", () => {
  it("does not open the inspector on SIGUSR1", async () => {
    const app = await runApp({ DATA_DIR: await temporaryFolder(), DEMO: "off" });
    for (let times = 0; times < 5; times += 1) {
      app.signal("SIGUSR1");
      await setTimeout(50);
      expect((await fetch(`${app.publicUrl}/healthz`)).status).toBe(200);
    }
    expect(await app.stop()).toBe(0);
    expect(app.err()).not.toContain("Debugger listening");
  });
});

describe("a start after a kill", () => {
  it("removes temporary files with secrets, and revokes the admin token of the previous run", async () => {
    const DATA_DIR = await temporaryFolder();
    const keysFolder = await temporaryFolder();
    const KEYS_FILE = join(keysFolder, "keys.json");
    const killed = await runApp({ DATA_DIR, KEYS_FILE });
    const adminToken = () => readFile(join(DATA_DIR, "admin.token"), "utf8");
    const isTaken = async (url: string, token: string) =>
      (await call(url, "platform.internal.v1.AccessAdminService/SetPrincipal", {}, token)).status !== 401;
    const old = await adminToken();
    expect(await isTaken(killed.internalUrl, old)).toBe(true);
    await killed.stop("SIGKILL");
    const replaced = ["admin.token", "demo/access.token", "demo/user-key.json"].map((name) => join(DATA_DIR, name));
    for (const path of [KEYS_FILE, ...replaced]) {
      await writeFile(`${path}.0123456789abcdef.tmp`, "secret", { mode: 0o600 });
    }

    const app = await runApp({ DATA_DIR, KEYS_FILE });
    expect(await readdir(keysFolder)).toEqual(["keys.json"]);
    const files = await readdir(DATA_DIR, { recursive: true });
    expect(files.filter((name) => name.endsWith(".0123456789abcdef.tmp"))).toEqual([]);
    expect(files).toContain("demo/access.token");
    expect(await isTaken(app.internalUrl, old)).toBe(false);
    expect(await isTaken(app.internalUrl, await adminToken())).toBe(true);
    expect(await app.stop()).toBe(0);
  });
});
