import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { openBrokerSession } from "./broker-session.js";
import { openSession } from "./session.js";
import { openSessionStore } from "./session-store.js";

const [issuer, resource, audience] = ["https://accounts.example", "https://api.example", "https://broker.example"];
const minute = 60_000;

/** A login in a file, and an authorization server that renews it. */
async function setUp(metadata: object = { broker_audience: audience }) {
  const folder = await mkdtemp(join(tmpdir(), "program-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "session.json");
  const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  let now = Date.now();
  const clock = { now: () => now, sleep: () => expect.unreachable(), after: () => () => {} };
  const login = { issuer, resource, clientId: "program", scopes: ["vault.items:use"], keyPair };
  const expiresAt = new Date(now + 15 * minute).toISOString();
  await openSessionStore(path).save({ ...login, refreshToken: "refresh-0", accessToken: "api-0", expiresAt });
  const asked: string[] = [];
  const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    if (init?.method !== "POST") {
      const endpoints = {
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
      };
      return Response.json({ issuer, ...endpoints, ...metadata });
    }
    const form = new URLSearchParams(`${init.body}`);
    const target = form.get("resource") === audience ? "broker" : "api";
    const count = asked.push(`${form.get("refresh_token")} for ${target}`);
    const tokens = { access_token: `${target}-${count}`, refresh_token: `refresh-${count}` };
    return Response.json({ ...tokens, token_type: target === "api" ? "Bearer" : "DPoP", expires_in: 900 });
  });
  onTestFinished(() => fetch.mockRestore());
  const options = { issuer, resource, clientId: "program", path, clock };
  return {
    options,
    asked,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

const textOf = async (token: Promise<{ readonly accessToken: { reveal(): string } }>) =>
  (await token).accessToken.reveal();

it("broker tokens are renewed with the login of the API, without asking again, and stay out of its file", async () => {
  const { options, asked, advance } = await setUp();
  const api = openSession(options);
  const broker = await openBrokerSession(options);
  expect(await textOf(api.token())).toBe("api-0");
  expect(await textOf(broker.token())).toBe("broker-1");
  expect(await textOf(broker.token())).toBe("broker-1");
  for (const count of [2, 4]) {
    advance(16 * minute);
    expect(await textOf(broker.token())).toBe(`broker-${count}`);
    expect(await textOf(api.token())).toBe(`api-${count + 1}`);
  }
  expect(asked).toEqual([
    "refresh-0 for broker",
    "refresh-1 for broker",
    "refresh-2 for api",
    "refresh-3 for broker",
    "refresh-4 for api",
  ]);
  const stored = await readFile(options.path, "utf8");
  expect(stored).toContain("refresh-5");
  expect(stored).not.toContain("broker-");
});

it("a login that replaces another one is followed, and not overwritten", async () => {
  const { options, asked } = await setUp();
  const broker = await openBrokerSession(options);
  await broker.token();
  const store = openSessionStore(options.path);
  const stored = await store.load();
  if (stored !== undefined) await store.save({ ...stored, refreshToken: "refresh-new" });
  expect(await textOf(broker.token({ reason: "rejected" }))).toBe("broker-2");
  expect(asked).toEqual(["refresh-0 for broker", "refresh-new for broker"]);
});

it("a login at another API has no broker tokens, and a platform that does not say what they are for is an error", async () => {
  const { options } = await setUp();
  const other = await openBrokerSession({ ...options, resource: "https://other.example" });
  await expect(other.token()).rejects.toThrow("There is no session. Log in first.");
  expect(await other.keyPair()).toBeUndefined();
  const old = await setUp({});
  await expect(openBrokerSession(old.options)).rejects.toThrow("names no keys and audience of brokers (HTTP 200)");
});
