import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { freePort } from "@platform-rpc/testbed/network";
import { startPostgres, type TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { createAdminClients } from "../../src/rpc/admin-clients.js";
import { readSettings } from "../../src/settings/settings.js";
import { call, errorIn } from "../../src/testing/call.js";
import { runApp, runProgram } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { openServedStorage } from "../../src/witness/open-served-storage.js";
import { accountsIn } from "../commands/testing/accounts-in.js";

const deleteItem = "platform.v1.VaultService/DeleteItem";
const nothing = { vaultId: "none", itemId: "none", baseVersion: 1 };
const subject = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1" };

async function runSql(url: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) ({ rows } = await client.query<Record<string, unknown>>(sql));
    return rows;
  } finally {
    await client.end();
  }
}

async function newServer(options?: Parameters<typeof startPostgres>[0]): Promise<TemporaryPostgres> {
  const server = await startPostgres(options);
  onTestFinished(server.stop);
  return server;
}

/** Returns the settings of a platform on a database, with fixed ports. */
async function settingsFor(url: string) {
  const dataDir = await temporaryFolder();
  const [port, internalPort] = [await freePort(), await freePort()];
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    ACCOUNTS_TENANT: "acme",
    DRAIN_DELAY_SECONDS: "0",
  };
  const publicUrl = `http://127.0.0.1:${port}`;
  const internalUrl = `http://127.0.0.1:${internalPort}`;
  const get = async (path: string) => {
    const response = await fetch(internalUrl + path);
    return { status: response.status, text: await response.text() };
  };
  return {
    environment,
    publicUrl,
    witness: join(dataDir, "witness.json"),
    readiness: () => get("/readyz"),
    /** Returns a figure of the metrics. */
    figure: async (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec((await get("/metrics")).text)?.[1]),
    administer: async () =>
      createAdminClients({ internalUrl, adminToken: await readFile(join(dataDir, "admin.token"), "utf8") }),
    /** Runs a command of the platform. */
    async command(...args: readonly string[]) {
      const program = runProgram("main", environment, { args });
      return { code: await program.ended, out: program.out(), err: program.err() };
    },
  };
}

type Administer = Awaited<ReturnType<Awaited<ReturnType<typeof settingsFor>>["administer"]>>;

/** Creates a principal and an OAuth client, and returns an access token. */
async function setUp({ access }: Administer) {
  const { tenantId, principalId, oauthClientId } = subject;
  await access.setPrincipal({ tenantId, principalId, active: true });
  const client = { tenantId, oauthClientId, name: "C", allowedOperations: [deleteItem], enabled: true };
  await access.setOauthClient(client);
  return access.issueAccessToken({ ...subject, scopes: ["vault.items:delete"], expiresInSeconds: 600 });
}

/** Changes accounts in a database that no platform uses. */
async function withAccounts(url: string, work: (accounts: ReturnType<typeof accountsIn>) => Promise<unknown>) {
  const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
  await work(accountsIn(storage)).finally(() => storage.close());
}

/** The server that the tests share. */
const server = new URL(inject("postgresUrl") ?? "postgres:");
let databases = 0;

/** Creates a database on the server that the tests share. */
async function newDatabase() {
  databases += 1;
  const name = `witness_${process.pid}_${databases}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = (dropped: string) => runSql(server.href, `DROP DATABASE IF EXISTS ${dropped} WITH (FORCE)`);
  await runSql(server.href, `CREATE DATABASE ${name} TEMPLATE template0`);
  onTestFinished(async () => {
    for (const each of [name, `${name}_copy`, `${name}_before`]) await drop(each);
  });
  return {
    url: url.href,
    /** Copies the database, which nothing uses, as a dump does. */
    copy: () => runSql(server.href, `CREATE DATABASE ${name}_copy TEMPLATE ${name}`),
    /** Replaces the database with its copy. */
    restore: () =>
      runSql(
        server.href,
        `ALTER DATABASE ${name} RENAME TO ${name}_before`,
        `ALTER DATABASE ${name}_copy RENAME TO ${name}`,
      ),
  };
}

it("PostgreSQL without data checksums is reported when it is opened", async () => {
  const { url } = await newDatabase();
  const { environment } = await settingsFor(url);
  const errors: string[] = [];
  const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
  // The server that the tests share has them.
  expect(storage.dataChecksums).toBe(true);
  const served = await openServedStorage({
    settings: readSettings(environment),
    open: async () => ({ ...storage, dataChecksums: false, backUp: () => Promise.reject(new Error("no backup")) }),
    witness: undefined,
    logger: { info() {}, error: (_, message) => errors.push(message) },
    serveHealth: () => Promise.reject(new Error("it may be served")),
  });
  await served.close();
  expect(errors).toEqual([expect.stringMatching(/no data checksums.*pg_checksums --enable/)]);
});

describe("DECISIONS section 9: a database that knows less than its processes, or is another, is not served", () => {
  it("an older dump, restored without a word, is not served until an epoch begins", async () => {
    const database = await newDatabase();
    const { environment, publicUrl, readiness, figure, administer, command } = await settingsFor(database.url);
    const first = await runApp(environment);
    const { accessToken, tokenId } = await setUp(await administer());
    await first.stop();
    await withAccounts(database.url, async (accounts) => {
      for (const id of ["ada", "eve"]) await accounts.signUp(id);
    });
    await database.copy();
    await withAccounts(database.url, async (accounts) => {
      await accounts.replaceCode("ada");
      await accounts.deleteAccount("eve");
    });

    const second = await runApp(environment);
    await (await administer()).access.revokeToken({ tokenId });
    expect((await call(publicUrl, deleteItem, nothing, accessToken)).status).toBe(401);
    await second.stop();
    await database.restore();

    const third = runProgram("main", environment);
    await expect.poll(readiness).toMatchObject({ status: 503 });
    const { text } = await readiness();
    expect(JSON.parse(text)).toMatchObject({ status: "database replaced", reason: "older" });
    expect(text).toMatch(/ends with record \d+ of .+ and the process knew record \d+ .+ run `platform begin-epoch`/);
    expect(await figure("platform_database_replaced")).toBe(1);
    expect(await figure("platform_ready")).toBe(0);
    expect(errorIn(await call(publicUrl, deleteItem, nothing, accessToken))).toMatchObject({
      status: 503,
      reason: "UNAVAILABLE",
    });
    // It does not have every change, so it cannot be confirmed.
    expect(await command("confirm-database")).toMatchObject({ code: 1, err: expect.stringContaining("begin-epoch") });
    const began = await command("begin-epoch");
    expect(began).toMatchObject({ code: 0, out: expect.stringContaining("Epoch 1 begins") });
    expect(began.out).toMatch(/ {2}- ada: recovery code replaced at /);
    expect(began.out).toMatch(/ {2}- eve: deleted at /);
    await withAccounts(database.url, async (accounts) => {
      expect(await accounts.mustConfirm("ada")).toBe(true);
      expect(await accounts.exists("eve")).toBe(false);
    });
    await expect.poll(readiness).toMatchObject({ status: 200 });
    expect(await figure("platform_database_replaced")).toBe(0);
    expect((await call(publicUrl, deleteItem, nothing, accessToken)).status).toBe(401);
    expect(await third.stop()).toBe(0);
  });

  it("another database with the same history is served once an operator confirms it", async () => {
    const database = await newDatabase();
    const { environment, publicUrl, readiness, administer, command } = await settingsFor(database.url);
    const first = await runApp(environment);
    const { accessToken } = await setUp(await administer());
    await first.stop();
    await database.copy();
    await database.restore();

    const second = runProgram("main", environment);
    await expect.poll(readiness).toMatchObject({ status: 503 });
    expect(JSON.parse((await readiness()).text)).toMatchObject({ reason: "another" });
    expect(await command("confirm-database")).toMatchObject({ code: 0 });
    await expect.poll(readiness).toMatchObject({ status: 200 });
    // Nothing was lost, so no credential ends.
    expect((await call(publicUrl, deleteItem, nothing, accessToken)).status).toBe(404);
    expect(await second.stop()).toBe(0);
  });

  it("another database, which is empty, is not served, and stays empty", async () => {
    const [database, other] = [await newDatabase(), await newDatabase()];
    const { environment, readiness } = await settingsFor(database.url);
    const first = await runApp(environment);
    await first.stop();
    const second = runProgram("main", { ...environment, DATABASE_URL: other.url });
    await expect.poll(readiness).toMatchObject({ status: 503 });
    expect(JSON.parse((await readiness()).text)).toMatchObject({ reason: "older" });
    expect(await runSql(other.url, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    expect(await second.stop()).toBe(0);
  });

  it("a new installation is served; without its witness, the log says that an older database would not be noticed", async () => {
    const { environment, witness } = await settingsFor((await newDatabase()).url);
    const first = await runApp(environment);
    const stored = async () => JSON.parse(await readFile(witness, "utf8").catch(() => "{}"));
    await expect.poll(stored).toMatchObject({ newest: { position: expect.any(Number) } });
    expect(first.err()).not.toContain("witness");
    await first.stop();
    await rm(witness);
    const app = await runApp(environment);
    expect(app.err()).toContain("there is no witness yet: if this database is older than the one before");
    await app.stop();
  });
});

/** Starts a proxy in front of a server. It ends with the test. */
async function startProxy(first: TemporaryPostgres) {
  let { port } = first;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => other.destroy());
      socket.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const cut = (): void => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(cut);
  const address = proxy.address();
  const url = new URL(first.url);
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    port: url.port,
    /** Ends all connections, and refuses new ones. */
    cut,
    pointTo: (server: TemporaryPostgres) => {
      port = server.port;
    },
  };
}

/** Starts a server and a standby of it, and a platform on them. It creates items until `stopLoad` is called. */
async function startReplicated() {
  const settings = { fsync: "off", wal_sender_timeout: "1s" };
  const primary = await newServer({ settings });
  await primary.shutDown();
  const replication = await startProxy(primary);
  const standby = await newServer({
    standbyOf: primary.folder,
    settings: {
      ...settings,
      primary_conninfo: `host=127.0.0.1 port=${replication.port} user=platform application_name=standby`,
    },
  });
  await primary.start();
  const proxy = await startProxy(primary);
  const platform = await settingsFor(proxy.url);
  const app = await runApp(platform.environment);
  const { vaults } = await platform.administer();
  const vault = { tenantId: "t-1", vaultId: "v-1" };
  await vaults.createVault({ ...vault, retentionDays: 30 });
  let loading = true;
  let written = 0;
  const load = (async () => {
    for (let n = 0; loading; n += 1) {
      const put = vaults.putItem({ ...vault, itemId: `item-${n}`, baseVersion: 0, ...content });
      if ((await put.catch(() => {})) !== undefined) written += 1;
    }
  })();
  return {
    primary,
    standby,
    app,
    ...platform,
    /** Returns the number of acknowledged items. */
    written: () => written,
    /** From now on, the standby receives nothing. */
    letStandbyLag: replication.cut,
    async failOver() {
      await primary.kill();
      proxy.pointTo(standby);
      await runSql(standby.url, "SELECT pg_promote()");
    },
    async stopLoad() {
      loading = false;
      await load;
    },
  };
}

describe("a failover under load", () => {
  it("to a standby that lagged behind is noticed by the running process, which stops serving until an epoch begins", async () => {
    const platform = await startReplicated();
    const { standby, readiness, written, letStandbyLag, failOver, stopLoad, command, app } = platform;
    const replicated = () => runSql(standby.url, "SELECT FROM items").catch(() => []);
    await expect.poll(async () => (await replicated()).length).toBeGreaterThan(5);
    letStandbyLag();
    // Fewer changes than the time between two readings of the history.
    const before = written();
    await expect.poll(written, { interval: 5 }).toBeGreaterThan(before + 2);
    await failOver();
    const promotedAt = performance.now();
    const seen = async () => JSON.parse((await readiness().catch(() => ({ text: "{}" }))).text);
    await expect.poll(seen, { interval: 100 }).toMatchObject({ status: "database replaced" });
    expect(performance.now() - promotedAt).toBeLessThan(15_000);
    await stopLoad();
    expect(await command("begin-epoch")).toMatchObject({ code: 0 });
    await expect.poll(readiness).toMatchObject({ status: 200 });
    expect(await app.stop()).toBe(0);
  });
});
