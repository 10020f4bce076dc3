import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { post } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { freePort } from "@platform-rpc/testbed/network";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { startTestApp } from "../../src/testing/start-test-app.js";
import { type BrokerSetUp, newBrokerSetUp } from "./testing/broker-set-up.js";

const program = fileURLToPath(new URL("../../../../packages/cli/dist/broker-main.js", import.meta.url));
const app = await startTestApp({ DEMO: "on" });
afterAll(() => app.end());

/** Starts the process of a team, in a folder without a login. Its settings are variables of the environment, as in a manifest. */
async function startTeamBroker({ commandLine, files, port }: BrokerSetUp) {
  const folder = join(commandLine.home, "team");
  await mkdir(folder, { mode: 0o700 });
  const metricsPort = await freePort();
  const settings = { BROKER_PORT: `${port}`, BROKER_METRICS_PORT: `${metricsPort}`, PLATFORM_CONFIG_DIR: folder };
  const broker = commandLine.start([process.execPath, program, "--allow-loopback-http"], settings);
  onTestFinished(async () => {
    broker.child.kill("SIGKILL");
    await broker.ended;
  });
  await broker.printed(/(You are not signed in\. Run: platform login --scope vault\.items:read vault\.items:use\n)/);
  return {
    ...broker,
    give: (name: string) => copyFile(join(files, name), join(folder, name)),
    remove: (name: string) => rm(join(folder, name)),
    async read(path: string) {
      const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`);
      return { status: response.status, text: await response.text() };
    },
  };
}

describe("platform-broker", () => {
  it("is not ready until its person has signed in and unlocked, serves agents with a number of uses each, and ends by SIGTERM", async () => {
    const setUp = await newBrokerSetUp(app);
    const { approveUses, send } = setUp;
    const broker = await startTeamBroker(setUp);
    expect(await broker.read("/healthz")).toMatchObject({ status: 200 });
    const notReady = (command: string) => ({ status: 503, text: expect.stringContaining(command) });
    expect(await broker.read("/readyz")).toMatchObject(notReady("platform login"));
    await broker.give("settings.json");
    await broker.give("session.json");
    await broker.printed(/(Broker for .* after: platform unlock\.)/);
    expect(await broker.read("/readyz")).toMatchObject(notReady("platform unlock"));
    const tokens = [await approveUses({ maxUses: 1 }), await approveUses({ maxUses: 1 })];
    for (const token of tokens) expect(await send(token)).toMatchObject({ status: 423, reason: "LOCKED" });
    await broker.give("unlocked.json");
    expect(await broker.read("/readyz")).toMatchObject({ status: 200 });
    await broker.printed(/(\nAgents may use items of: )/);
    for (const token of tokens) expect(await send(token)).toMatchObject({ status: 200 });
    for (const token of tokens) expect(await send(token)).toMatchObject({ reason: "DELEGATION_EXHAUSTED" });

    const { text } = await broker.read("/metrics");
    for (const reason of ["LOCKED", "OK", "DELEGATION_EXHAUSTED"]) {
      expect(text).toMatch(new RegExp(`^platform_broker_requests_total{reason="${reason}"} 2$`, "m"));
    }
    expect(text).toMatch(/^platform_broker_request_duration_seconds_count 6$/m);
    expect(text).toMatch(/^platform_broker_unlocked_until_timestamp_seconds [1-9]/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    const alerts = await readFile(new URL("../../deploy/prometheus/alerts.yml", import.meta.url), "utf8");
    expect(
      [...alerts.matchAll(/\bplatform_broker_\w+/g)].filter(([name]) => !text.includes(`# TYPE ${name} `)),
    ).toEqual([]);
    expect(await broker.read("/other")).toMatchObject({ status: 404 });
    await broker.remove("unlocked.json");
    await broker.printed(/(\nThe vaults are locked\. Agents may use items after: platform unlock\.)/);
    await chmod(join(setUp.files, "unlocked.json"), 0o644);
    await broker.give("unlocked.json");
    await broker.printed(/(unlocked\.json .*Remove it, and unlock again)/);
    expect(await broker.read("/readyz")).toMatchObject(notReady("platform unlock"));
    broker.child.kill("SIGTERM");
    expect(await broker.ended).toMatchObject({ code: 0 });
  });
});

describe("platform broker", () => {
  it("ends if it cannot start, and leaves nothing open", async () => {
    const { commandLine, files, port } = await newBrokerSetUp(app);
    await writeFile(join(files, `uses-127.0.0.1-${port}.journal`), "", { mode: 0o644 });
    const broker = commandLine.startProgram(["broker", "--port", `${port}`]);
    expect(await broker.ended).toMatchObject({ code: 1, err: expect.stringContaining("chmod 600") });
  });

  it("with --wait runs although the login has ended, says so, and ends by SIGTERM before and after that", async () => {
    const setUp = await newBrokerSetUp(app);
    const waiting = await startTeamBroker(setUp);
    waiting.child.kill("SIGTERM");
    expect(await waiting.ended).toMatchObject({ code: 0 });
    const { refreshToken } = JSON.parse(await readFile(join(setUp.files, "session.json"), "utf8"));
    await post(`${app.accountsUrl}/oauth/revoke`, { client_id: "platform-cli", token: refreshToken });
    const broker = setUp.commandLine.startProgram(["broker", "--wait", "--port", `${setUp.port}`]);
    await broker.printed(/(Broker for)/);
    broker.child.kill("SIGTERM");
    expect(await broker.ended).toMatchObject({ code: 0, err: expect.stringContaining("platform login") });
  });
});

describe("platform broker token", () => {
  it("asks once, for the given limits, renews the token after its 900 s, and asks again when the approval has ended", async () => {
    const setUp = await newBrokerSetUp(app);
    const { commandLine, files, host, send } = setUp;
    const broker = await setUp.startBroker();
    const run = (...words: string[]) =>
      commandLine.startProgram(["broker", "token", "--url", app.publicUrl, "--json", ...words]);
    const tokenOf = async ({ ended }: Pick<ReturnType<typeof run>, "ended">): Promise<string> => {
      const { code, out, err } = await ended;
      expect(code, err).toBe(0);
      return JSON.parse(out.trim().split("\n").at(-1) ?? "").accessToken;
    };
    const askForToken = async (...words: string[]) => {
      const asking = run(...words);
      await commandLine.approve(await asking.printed(/"userCode":"([^"]+)"/));
      return tokenOf(asking);
    };
    const file = join(files, "agent-platform-cli.json");
    /** Lets the stored token be 900 s old. Resolves with the refresh token. */
    const expire = async (): Promise<string> => {
      const stored = JSON.parse(await readFile(file, "utf8"));
      await writeFile(file, JSON.stringify({ ...stored, expiresAt: new Date(0).toISOString() }));
      return stored.refreshToken;
    };

    const first = await askForToken("--host", host, "--max-uses", "7", "--for", "2d");
    const [, payload = ""] = first.split(".");
    const { aud, authorization_details: details, exp, iat } = JSON.parse(Buffer.from(payload, "base64url").toString());
    const expires_at = expect.closeTo(Date.now() / 1000 + 2 * 86_400, -2);
    const bounds = { hosts: [host], actions: ["use"], max_uses: 7, expires_at };
    expect([aud, details, exp - iat]).toEqual(["https://platform.example/broker", [{ type: "vault", ...bounds }], 900]);
    expect(await tokenOf(run())).toBe(first);
    expect((await run("--host", "api.example").ended).err).toContain("add --ask");
    expect((await run("--max-uses", "8", "--for", "9d").ended).err).toMatch(/is for 7 uses only, until 20\S+ only\. /);
    expect(await run("--max-uses", "7", "--for", "2d").ended).toMatchObject({ code: 0, err: "" });
    const repeated = { headers: { "Idempotency-Key": "k-1" } };
    expect(await send(first, repeated)).toMatchObject({ status: 200 });

    await expire();
    const second = await tokenOf(run());
    expect(second).not.toBe(first);
    expect(await tokenOf(run())).toBe(second);
    // A retry after the renewal: the same request, of the same approval.
    expect(await send(second, repeated)).toMatchObject({ status: 409, reason: "ALREADY_USED" });
    expect(await send(second)).toMatchObject({ status: 200 });

    const token = await expire();
    await post(`${app.accountsUrl}/oauth/revoke`, { client_id: "platform-cli", token });
    expect(await send(second)).toMatchObject({ reason: "USE_APPROVAL_ENDED" });
    const third = await askForToken();
    expect(await send(third)).toMatchObject({ status: 200 });
    broker.child.kill();
  });
});
