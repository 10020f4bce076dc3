import { EventEmitter } from "node:events";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { type MoveStep, moveTenant, openPostgresCell } from "@platform-rpc/server/postgres";
import { type CellRouter, cellRouterPorts, startCellRouter } from "@platform-rpc/testbed/haproxy";
import { startProgram } from "@platform-rpc/testbed/processes";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { moveTenant as moveByCommand } from "../../src/commands/move-tenant.js";
import { createAdminClients } from "../../src/rpc/admin-clients.js";
import { call } from "../../src/testing/call.js";
import { haproxy } from "../../src/testing/installed.js";
import { startTestApp, type TestApp } from "../../src/testing/start-test-app.js";
import { newTemporaryFolder, type TemporaryFolder } from "../../src/testing/temporary-folder.js";
import { runCommand } from "../commands/testing/run-command.js";

const deleteItem = "platform.v1.VaultService/DeleteItem";
const cells = ["a", "b"] as const;
const tenants = { acme: "a", globex: "b" } as const;
interface Cell {
  readonly app: TestApp;
  readonly databaseUrl: string;
}

let folder: TemporaryFolder;
/** The file with the databases of the cells. */
let file: string;
const running = new Map<string, Cell>();
const cellOf = (name: string): Cell => {
  const cell = running.get(name);
  if (cell === undefined) throw new Error(`There is no cell ${name}.`);
  return cell;
};

async function assign(databaseUrl: string, tenantId: string): Promise<void> {
  const cell = await openPostgresCell({ url: databaseUrl });
  await cell.assign(tenantId).finally(() => cell.close());
}

beforeAll(async () => {
  folder = await newTemporaryFolder();
  for (const name of cells) {
    const databaseUrl = (await testDatabase(`cell ${name}`)) ?? "";
    for (const [tenantId, cell] of Object.entries(tenants)) if (cell === name) await assign(databaseUrl, tenantId);
    const app = await startTestApp({
      DATABASE_URL: databaseUrl,
      CELL: name,
      KEYS_FILE: join(folder.path, "keys.json"),
      ACCOUNTS_TENANT: name === "a" ? "acme" : "globex",
    });
    running.set(name, { app, databaseUrl });
  }
  file = await cellsFile(
    "cells.json",
    Object.fromEntries([...running].map(([name, cell]) => [name, cell.databaseUrl])),
  );
});

/** Writes a file of cells. Returns its path. */
async function cellsFile(name: string, urls: object): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, JSON.stringify(urls));
  return path;
}

afterAll(async () => {
  for (const [name, { app }] of running) {
    await app.end();
    await dropTestDatabase(`cell ${name}`);
  }
  await folder.remove();
});

/** Creates a vault with an item, which a principal of the tenant may delete. Returns their token. */
async function populate(cell: string, tenantId: string, vaultId = "main"): Promise<string> {
  const { app } = cellOf(cell);
  const subject = { tenantId, principalId: "ada", oauthClientId: "agent" };
  const { access } = createAdminClients(app);
  await access.setPrincipal({ ...subject, active: true });
  await access.setOauthClient({ ...subject, name: "Agent", allowedOperations: [deleteItem], enabled: true });
  const vault = { tenantId, vaultId };
  await app.admin("VaultAdminService/CreateVault", { ...vault, retentionDays: 30 });
  await app.admin("VaultAdminService/SetVaultMember", { ...vault, principalId: "ada", role: "owner" });
  await app.admin("VaultAdminService/PutItem", { ...vault, itemId: "letter", baseVersion: 0, ...content });
  const scopes = ["vault.items:delete"];
  return (await access.issueAccessToken({ ...subject, scopes, expiresInSeconds: 600 })).accessToken;
}

const remove = (url: string, token?: string, vaultId = "main") =>
  call(url, deleteItem, { vaultId, itemId: "letter", baseVersion: 1 }, token);

const wrongCell = {
  status: 503,
  json: {
    code: "unavailable",
    message: expect.stringContaining("Nothing was changed."),
    details: [{ debug: { reason: "UNAVAILABLE", metadata: { wrongCell: "true" } } }, {}],
  },
};

describe("a cell", () => {
  it("serves its tenant, and refuses the token of a tenant of another cell, although both have its keys", async () => {
    const tokens = { a: await populate("a", "acme"), b: await populate("b", "globex") };
    for (const own of cells) {
      const { publicUrl } = cellOf(own).app;
      const refused = await remove(publicUrl, tokens[own === "a" ? "b" : "a"]);
      expect(refused).toMatchObject(wrongCell);
      expect(refused.headers.get("Retry-After")).toBe("1");
      expect(await remove(publicUrl, tokens[own])).toMatchObject({ status: 200 });
    }
  });

  it("creates no tenant that is not assigned to it", async () => {
    const { app, databaseUrl } = cellOf("a");
    const { internalUrl, adminToken } = app;
    const vault = { tenantId: "initech", vaultId: "main", retentionDays: 30 };
    const create = () => call(internalUrl, "platform.internal.v1.VaultAdminService/CreateVault", vault, adminToken);
    expect(await create()).toMatchObject(wrongCell);
    expect(await runCommand({ DATABASE_URL: databaseUrl }, "assign-tenant", "initech")).toEqual({
      code: 0,
      out: "The cell serves the tenant initech from now on.\n",
      err: "",
    });
    await expect.poll(create).toMatchObject({ status: 200 });
    expect(await runCommand({ DATABASE_URL: databaseUrl }, "assign-tenant", "initech")).toMatchObject({
      code: 0,
      out: "The cell serves the tenant initech already.\n",
    });
  });

  it("is named by its metrics", async () => {
    const text = await (await fetch(`${cellOf("b").app.internalUrl}/metrics`)).text();
    expect(text).toMatch(/^platform_build_info\{.*cell="b"\} 1$/m);
  });

  it("does not start without its name", async () => {
    const starting = startTestApp({ DATABASE_URL: cellOf("a").databaseUrl });
    await expect(starting).rejects.toThrow("Set CELL to the name of the cell");
  });
});

describe("platform cells", () => {
  it("lists the cells with their tenants, and what is stored", async () => {
    const { code, out, err } = await runCommand({}, "cells", file);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /^CELL +TENANT +STATE +SINCE +VAULTS +ITEMS +RECORDS\na +acme +serving +\d{4}-\S+Z +\d+ +\d+ +\d+\n/,
    );
    expect(out).toMatch(/^b +globex +serving /m);
    expect(out).toMatch(/^b: 1 tenants served$/m);
  });

  it("fails with an alarm if two cells serve a tenant", async () => {
    await assign(cellOf("b").databaseUrl, "hooli");
    await assign(cellOf("a").databaseUrl, "hooli");
    const { code, err } = await runCommand({}, "cells", file);
    expect(code).toBe(1);
    expect(err).toContain("ALARM: the tenant hooli is served by the cells a and b.");
    const places = ["--cells", file, "--from", "a", "--to", "b"];
    expect(await runCommand({}, "give-up-tenant", "hooli", ...places)).toMatchObject({
      ...{ code: 0, out: expect.stringContaining("Only the cell b serves the tenant hooli now.") },
    });
    expect(await runCommand({}, "give-up-tenant", "hooli", ...places)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("The cell a does not serve the tenant hooli.") },
    });
    expect(await runCommand({}, "cells", file)).toMatchObject({ code: 0, err: "" });
  });

  it("says how to go on after a move that was interrupted while writes are paused, or after the hand-over", async () => {
    await assign(cellOf("a").databaseUrl, "tyrell");
    const [from, to] = cells.map((name) => ({ name, url: cellOf(name).databaseUrl }));
    if (from === undefined || to === undefined) throw new Error("There are two cells.");
    const seen: Awaited<ReturnType<typeof runCommand>>[] = [];
    const onStep = async (step: MoveStep) => {
      if (step === "paused" || step === "handed over") seen.push(await runCommand({}, "cells", file));
    };
    await moveTenant({ tenantId: "tyrell", from, to, onStep });
    expect(seen).toMatchObject([
      { code: 0, out: expect.stringContaining("Writes of the tenant tyrell are paused in a, because it moves to b.") },
      {
        code: 1,
        err: expect.stringMatching(
          /^ALARM: no cell serves the tenant tyrell\. .* platform move-tenant tyrell --cells \S+ --from a --to b$/m,
        ),
      },
    ]);
    expect(await runCommand({}, "cells", file)).toMatchObject({ code: 0, err: "" });
  });

  it("rejects one database for two cells", async () => {
    const { databaseUrl } = cellOf("a");
    const { err } = await runCommand({}, "cells", await cellsFile("same.json", { a: databaseUrl, b: databaseUrl }));
    expect(err).toContain("have the same database. Each cell has its own.");
  });

  it("lists the other cells if one cannot be reached, and prints no password", async () => {
    const urls = { a: cellOf("a").databaseUrl, c: "postgres://owner:hunter2@127.0.0.1:9/platform" };
    const { code, out, err } = await runCommand({}, "cells", await cellsFile("unreachable.json", urls));
    expect(code).toBe(1);
    expect(out).toMatch(/^a +acme /m);
    expect(out).toMatch(/^c: not read$/m);
    expect(err).toContain("The cell c cannot be read: connect ECONNREFUSED 127.0.0.1:9");
    expect(out + err).not.toContain("hunter2");
  });

  it("rejects a file that is missing or has no cells, without a password", async () => {
    const missing = await runCommand({}, "cells", "missing.json");
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("cannot be read (ENOENT)")]);
    const path = await cellsFile("broken.json", { a: "mysql://owner:hunter2@db/platform" });
    const { code, out, err } = await runCommand({}, "cells", path);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("is not a JSON object with the URL");
    expect(err).not.toContain("hunter2");
  });
});

describe.skipIf(haproxy.skip)(`HAProxy with deploy/haproxy/cells.cfg${haproxy.note}`, () => {
  let router: CellRouter;
  let url: string;

  beforeAll(async () => {
    const portOf = (from: string | undefined) => Number(new URL(from ?? "").port);
    const portsOf = ({ app }: Cell) => ({
      public: portOf(app.publicUrl),
      accounts: portOf(app.accountsUrl),
      mcp: portOf(app.mcpUrl),
    });
    const processes = Object.fromEntries(cells.map((name) => [name, [portsOf(cellOf(name))]]));
    router = await startCellRouter(processes, await cellRouterPorts());
    url = `http://127.0.0.1:${router.ports.public}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 60_000);
  });
  afterAll(() => router[Symbol.asyncDispose]());

  const claims = (payload: object) =>
    ["e30", Buffer.from(JSON.stringify(payload)).toString("base64url"), "AAAA"].join(".");

  it("leads each call to the cell of its tenant, by the token", async () => {
    for (const [tenantId, cell] of Object.entries(tenants)) {
      const token = await populate(cell, tenantId, "by-router");
      expect(await remove(url, token, "by-router")).toMatchObject({ status: 200 });
    }
  });

  it("gives a forged claim to a cell that refuses it", async () => {
    for (const tenantId of [...Object.keys(tenants), "unknown"]) {
      expect(await remove(url, claims({ tenant_id: tenantId }))).toMatchObject({ status: 401 });
    }
  });

  it("leads the calls of a tenant to the cell that it was moved to, and what it has left behind is removed", async () => {
    await assign(cellOf("a").databaseUrl, "wayne");
    const token = await populate("a", "wayne");
    const places = ["--cells", file, "--from", "a", "--to", "b"];
    const map = ["--router", router.socket, "--map", router.tenantsMap];
    const moved = await runCommand({}, "move-tenant", "wayne", ...places, ...map);
    expect(moved).toMatchObject({ code: 0, err: "" });
    expect(moved.out).toMatch(
      /^Copying the tenant wayne from a to b\. .*\n.*paused\.\n.*compared\.\nThe cell b serves the tenant\.\n/,
    );
    // Another tenant's line stays, and a router that is started again reads the new one.
    expect(await readFile(router.tenantsMap, "utf8")).toContain("acme a\nglobex b\nwayne b\n");
    expect(await remove(url, token)).toMatchObject({ status: 200 });
    expect(await remove(cellOf("a").app.publicUrl, token)).toMatchObject(wrongCell);
    expect(await remove(cellOf("b").app.publicUrl, token)).toMatchObject({ status: 200 });
    const removed = await runCommand({}, "remove-moved-tenant", "wayne", "--cells", file, "--from", "a");
    expect(removed.out).toMatch(/^\d+ rows of the tenant wayne were removed from the cell a\./);
    const refused = await runCommand({}, "remove-moved-tenant", "wayne", "--cells", file, "--from", "b");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("has not left the cell b") });
  });

  it("goes on serving a tenant whose move is cancelled", async () => {
    await assign(cellOf("a").databaseUrl, "stark");
    const token = await populate("a", "stark");
    const app = cellOf("a").app.publicUrl;
    const places = ["stark", "--cells", file, "--from", "a", "--to", "b"];
    const onStep = async (step: MoveStep) => {
      if (step !== "paused") return;
      expect(await remove(app, token)).toMatchObject({ status: 503 });
      const err = expect.stringContaining("Another command works on the tenant stark in the cell a.");
      expect(await runCommand({}, "cancel-move", ...places)).toMatchObject({ code: 1, err });
      throw new Error("interrupted");
    };
    const [from, to] = [
      { name: "a", url: cellOf("a").databaseUrl },
      { name: "b", url: cellOf("b").databaseUrl },
    ] as const;
    await expect(moveTenant({ tenantId: "stark", from, to, onStep })).rejects.toThrow("interrupted");
    expect(await runCommand({}, "cancel-move", ...places)).toMatchObject({
      ...{ code: 0, err: "", out: expect.stringContaining("The cell a serves the tenant stark, also its writes.") },
    });
    expect(await remove(app, token)).toMatchObject({ status: 200 });
    expect(await runCommand({}, "cancel-move", ...places)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("No move of the tenant stark from a to b is under way.") },
    });
  });

  it("cancels a move when the command gets a signal, and the old cell serves on", async () => {
    await assign(cellOf("a").databaseUrl, "weyland");
    const token = await populate("a", "weyland");
    const signals = new EventEmitter();
    const report = async (line: string) => {
      if (line.includes("are paused")) signals.emit("SIGTERM");
    };
    const readSettings = () => {
      throw new Error("A move between cells needs no settings.");
    };
    const places = { cells: file, from: "a", to: "b", map: router.tenantsMap };
    await expect(moveByCommand("weyland", places, { readSettings, report, signals })).rejects.toThrow(
      "A signal ended the command. The cell a serves the tenant, also its writes.",
    );
    expect(signals.eventNames()).toEqual([]);
    expect(await remove(cellOf("a").app.publicUrl, token)).toMatchObject({ status: 200 });
  });

  it("moves nothing if the router or its map cannot be used", async () => {
    const move = (...args: readonly string[]) =>
      runCommand({}, "move-tenant", "acme", "--cells", file, "--from", "a", "--to", "b", ...args);
    const at = (socket: string, map: string) => move("--router", socket, "--map", map);
    for (const [socket, map, says] of [
      [join(folder.path, "none.sock"), router.tenantsMap, "The router cannot be reached: connect ENOENT"],
      [router.socket, router.hostsMap, "leads to no cell, but to"],
      [router.socket, "/etc/unknown.map", "The router has no map /etc/unknown.map. Name the map of tenants with --map"],
    ] as const) {
      expect(await at(socket, map)).toMatchObject({ code: 1, out: "", err: expect.stringContaining(says) });
    }
    expect(await move("--to", "a")).toMatchObject({ code: 1, err: expect.stringContaining("name the same cell") });
    expect(await move("--to", "z")).toMatchObject({ code: 1, err: expect.stringContaining("There is no cell z") });
    const cased = await runCommand({}, "move-tenant", "Acme", "--cells", file, "--from", "a", "--to", "b");
    expect(cased).toMatchObject({ code: 1, err: expect.stringContaining("Ids are case-sensitive.") });
  });

  it("keeps the mode of the map, and finds a line with spaces before it", async () => {
    await assign(cellOf("a").databaseUrl, "cyberdyne");
    await router.command(`add map ${router.tenantsMap} cyberdyne a`);
    await writeFile(router.tenantsMap, `${await readFile(router.tenantsMap, "utf8")}  cyberdyne a\n`);
    await chmod(router.tenantsMap, 0o660);
    const places = ["--cells", file, "--from", "a", "--to", "b", "--router", router.socket, "--map", router.tenantsMap];
    expect(await runCommand({}, "move-tenant", "cyberdyne", ...places)).toMatchObject({ code: 0, err: "" });
    expect(
      (await readFile(router.tenantsMap, "utf8")).split("\n").filter((line) => line.includes("cyberdyne")),
    ).toEqual(["cyberdyne b"]);
    expect((await stat(router.tenantsMap)).mode & 0o777).toBe(0o660);
  });

  it("leads pages to the cell of their host name, and rejects others", async () => {
    const statusOf = async (host: string) => {
      const options = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", `Host: ${host}`];
      const answer = startProgram(["curl", ...options, `http://127.0.0.1:${router.ports.accounts}/readyz`]);
      await answer.ended;
      return answer.out();
    };
    expect(await statusOf("unknown.example")).toBe("421");
    expect(await statusOf("accounts.acme.example")).not.toBe("421");
  });
});
