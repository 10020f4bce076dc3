import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { newKey, type OAuthAnswer, post, postWithKey, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { approveRequest } from "@platform-rpc/accounts/testing/answer-request";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser, type SiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { freePort } from "@platform-rpc/testbed/network";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { call } from "../../../src/testing/call.js";
import { runApp } from "../../../src/testing/program.js";
import { newTemporaryFolder, type TemporaryFolder } from "../../../src/testing/temporary-folder.js";
import { clientId, deleteScope, deletion, tenantId } from "./testing/oauth-app.js";

const { KILL_RUNS = 2 } = process.env;
const redirectUri = "http://127.0.0.1/callback";

/** Who may ask again for the answer to a redemption. */
const retriers = ["a key", "an Idempotency-Key", "nobody"] as const;

/** A code, and how its client redeems it. */
interface Redemption {
  readonly retrier: (typeof retriers)[number];
  redeem(): Promise<OAuthAnswer>;
  refresh(refreshToken: string): Promise<OAuthAnswer>;
}

const ends: (() => unknown)[] = [];

/** Starts the built app, and registers the client. */
async function start(environment: Readonly<Record<string, string>>) {
  const { DATA_DIR = "" } = environment;
  const app = await runApp(environment, { atEnd: (end) => void ends.push(end) });
  const adminToken = await readFile(join(DATA_DIR, "admin.token"), "utf8");
  const client = {
    tenantId,
    oauthClientId: clientId,
    name: "Agent",
    allowedOperations: [deletion],
    redirectUris: [redirectUri],
    enabled: true,
  };
  const set = "platform.internal.v1.AccessAdminService/SetOauthClient";
  expect((await call(app.internalUrl, set, client, adminToken)).status).toBe(200);
  return app;
}

/** Lets a person approve the client. */
async function newRedemption(browser: SiteBrowser, retrier: Redemption["retrier"]): Promise<Redemption> {
  const verifier = randomBytes(32).toString("base64url");
  const request = new URL("/oauth/authorize", browser.origin);
  request.search = String(
    new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: `${deleteScope} offline_access`,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
  );
  const code = (await approveRequest(browser, request)).redirectedTo.searchParams.get("code") ?? "";
  const token = `${app.accountsUrl}/oauth/token`;
  const key = retrier === "a key" ? newKey() : undefined;
  const headers = retrier === "an Idempotency-Key" ? { "Idempotency-Key": randomUUID() } : undefined;
  const send = (form: Readonly<Record<string, string>>) => {
    const sent = { client_id: clientId, ...form };
    return key === undefined ? post(token, sent, headers) : postWithKey(token, sent, key);
  };
  return {
    retrier,
    redeem: () => send({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier }),
    refresh: (refresh_token) => send({ grant_type: "refresh_token", refresh_token }),
  };
}

/** Refreshes until the app is killed. Returns the last refresh token that an answer has shown. */
async function refreshUntilKilled({ refresh }: Redemption, first: string): Promise<string> {
  for (let token = first; ; ) {
    const answer = await refresh(token).catch(() => undefined);
    if (answer === undefined) return token;
    token = textOf(answer, "refresh_token");
  }
}

const approvals = z.object({ delegations: z.array(z.object({ renewable: z.boolean() })) });
const uses = z.object({ delegations: z.tuple([z.object({ lastUsedAt: z.iso.datetime() })]) });

let folder: TemporaryFolder;
let environment: Readonly<Record<string, string>>;
let app: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  folder = await newTemporaryFolder();
  const DATA_DIR = folder.path;
  const DATABASE_URL = await testDatabase(DATA_DIR);
  environment = {
    DATA_DIR,
    ...(DATABASE_URL !== undefined && { DATABASE_URL }),
    // The person stays signed in after a restart.
    ACCOUNTS_PORT: String(await freePort()),
    ACCOUNTS_TENANT: tenantId,
    DRAIN_DELAY_SECONDS: "0",
    DEMO: "off",
    RATE_LIMITS: "off",
    LOG_LEVEL: "silent",
  };
  app = await start(environment);
});
afterAll(async () => {
  for (const end of ends) end();
  await app.ended;
  await dropTestDatabase(folder.path);
  await folder.remove();
});

const newPerson = async () => (await signUpPerson({ openBrowser: () => openSiteBrowser(app.pagesUrl) })).browser;

/** Calls the API with the access token of a response. Returns the status: 404 for a valid token, because the vault does not exist. */
async function callApi(answer: OAuthAnswer): Promise<number> {
  const body = { vaultId: "v", itemId: "i", baseVersion: 1 };
  return (await call(app.publicUrl, deletion, body, textOf(answer, "access_token"))).status;
}

it(`kill -9 during redemptions and refreshes, ${KILL_RUNS} times: a code gives one family or none, with its grant, and nobody is locked out`, async () => {
  const session = await newRedemption(await newPerson(), "nobody");
  let token = textOf(await session.redeem(), "refresh_token");

  for (let kill = 0; kill < Number(KILL_RUNS); kill += 1) {
    const browser = await newPerson();
    const redemptions: Redemption[] = [];
    for (const retrier of [...retriers, ...retriers]) redemptions.push(await newRedemption(browser, retrier));

    // The kill comes just after the requests, or after this number of answers.
    const answersUntilKill = (5 * kill) % redemptions.length;
    let answers = 0;
    const refreshed = refreshUntilKilled(session, token);
    const sent = redemptions.map(async (redemption) => {
      const answer = await redemption.redeem().catch(() => undefined);
      answers += 1;
      if (answers === answersUntilKill) app.signal("SIGKILL");
      return answer;
    });
    if (answersUntilKill === 0) {
      await setTimeout(kill % 5);
      app.signal("SIGKILL");
    }
    const answered = await Promise.all(sent);
    token = await refreshed;
    await app.ended;
    app = await start(environment);

    for (const [at, redemption] of redemptions.entries()) {
      const first = answered[at];
      const answer = first !== undefined && redemption.retrier === "nobody" ? first : await redemption.redeem();
      // The answer was lost, and nobody may ask for it again: it is revoked, and the person approves again.
      const lost = redemption.retrier === "nobody" && answer.json.error === "invalid_grant";
      const current = lost ? await newRedemption(browser, redemption.retrier) : redemption;
      const tokens = lost ? await current.redeem() : answer;
      expect([tokens.status, tokens.json.error]).toEqual([200, undefined]);
      if (first !== undefined) expect(tokens.json.refresh_token).toBe(first.json.refresh_token);
      expect(await callApi(await current.refresh(textOf(tokens, "refresh_token")))).toBe(404);
    }
    const { delegations } = approvals.parse((await browser.send("/account/api/delegations")).body);
    expect(delegations).toEqual(redemptions.map(() => ({ renewable: true })));
    token = textOf(await session.refresh(token), "refresh_token");
  }
});

it("DECISIONS section 9: a stop records the access tokens that were used just before", async () => {
  const browser = await newPerson();
  const session = await newRedemption(browser, "nobody");
  const next = await session.refresh(textOf(await session.redeem(), "refresh_token"));
  const refreshedAt = Date.now();
  expect(await callApi(next)).toBe(404);
  expect(await app.stop()).toBe(0);
  app = await start(environment);
  const [{ lastUsedAt }] = uses.parse((await browser.send("/account/api/delegations")).body).delegations;
  expect(Date.parse(lastUsedAt)).toBeGreaterThan(refreshedAt);
});
