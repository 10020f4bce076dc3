import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { deriveRecoveryKeys, signRecoveryChallenge } from "@platform-rpc/accounts/keys/recovery-keys";
import { adminOf, type RunningApp } from "@platform-rpc/testbed/app";
import type { NextRequest } from "../load/load.ts";
import { requestOf } from "../load/request.ts";
import { inBatches } from "../platform/seed.ts";

const oauthClient = { tenantId: "demo", oauthClientId: "demo-agent" };
const scopes = ["vault.items:delete"];
/** One principal may have 100 calls in flight. */
const atOnce = 50;
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The running app with its demo, and the folder of its data. */
export interface DemoApp {
  readonly app: RunningApp;
  readonly dataDir: string;
}

/** Starts and approves device authorizations. Returns a function that exchanges each of them once, at the public operation. */
export async function prepareExchanges({ app, dataDir }: DemoApp, count: number): Promise<NextRequest> {
  const admin = adminOf(app.internalUrl, join(dataDir, "admin.token"));
  const token = readFileSync(join(dataDir, "demo/access.token"), "utf8").trim();
  const requests: Buffer[] = [];
  await inBatches(
    count,
    async () => {
      const started = await admin("DeviceAuthorizationService/StartDeviceAuthorization", { ...oauthClient, scopes });
      const { userCode, deviceCode } = started;
      await approve(admin, String(userCode));
      const path = "/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";
      requests.push(requestOf(path, { deviceCode }, token));
    },
    atOnce,
  );
  return () => requests.pop() ?? Buffer.alloc(0);
}

/** Logs in on devices. Returns a function that renews the tokens of each with its newest refresh token. */
export async function prepareRefreshes({ app, dataDir }: DemoApp, count: number): Promise<NextRequest> {
  const admin = adminOf(app.internalUrl, join(dataDir, "admin.token"));
  const refreshTokens: string[] = [];
  await inBatches(
    count,
    async () => {
      const post = async (endpoint: string, fields: Readonly<Record<string, string>>) => {
        const body = new URLSearchParams({ client_id: oauthClient.oauthClientId, ...fields });
        const response = await fetch(`${app.accountsUrl}/oauth/${endpoint}`, { method: "POST", body });
        if (!response.ok) throw new Error(`/oauth/${endpoint} answered ${response.status}: ${await response.text()}`);
        return await response.text();
      };
      const started = await post("device_authorization", { scope: scopes.join(" ") });
      await approve(admin, member(started, "user_code"));
      const issued = await post("token", { grant_type: deviceGrant, device_code: member(started, "device_code") });
      refreshTokens.push(member(issued, "refresh_token"));
    },
    atOnce,
  );
  const { host } = new URL(app.accountsUrl);
  return (previous) => {
    const refreshToken =
      previous === undefined ? (refreshTokens.pop() ?? "") : member(String(previous), "refresh_token");
    const fields = { grant_type: "refresh_token", client_id: oauthClient.oauthClientId, refresh_token: refreshToken };
    const body = new URLSearchParams(fields).toString();
    return post({ host, path: "/oauth/token", contentType: "application/x-www-form-urlencoded", body });
  };
}

/** Returns a function that signs the person of the demo in: it begins, signs the challenge, finishes, and begins again. */
export async function prepareSignIns({ app, dataDir }: DemoApp): Promise<NextRequest> {
  const parsed = parseRecoveryCode(readFileSync(join(dataDir, "demo/recovery-code.txt"), "utf8").trim());
  if (!parsed.ok) throw new Error(parsed.message);
  const { locator, signInKey } = await deriveRecoveryKeys(parsed.code);
  const { origin, host } = new URL(app.accountsUrl);
  const send = (step: "begin" | "finish", message: object, cookie: string) => {
    const path = `/account/api/sign-in/${step}`;
    const more = [`Origin: ${origin}`, `Cookie: ${cookie}`];
    return post({ host, path, contentType: "application/json", body: JSON.stringify(message), more });
  };
  return async (previous) => {
    const response = String(previous ?? "");
    const cookie = /\r\nset-cookie: ([^;]*ceremony=[^;]+)/i.exec(response)?.[1];
    if (cookie === undefined || !response.includes('"challenge"')) return send("begin", { again: false }, "");
    const signed = { origin, challenge: member(response, "challenge") };
    const signature = await signRecoveryChallenge(signInKey, signed);
    return send("finish", { how: "recovery code", locator, signature }, cookie);
  };
}

async function approve(admin: ReturnType<typeof adminOf>, userCode: string): Promise<void> {
  const person = { tenantId: oauthClient.tenantId, principalId: "demo-user" };
  await admin("DeviceAuthorizationService/ApproveDeviceAuthorization", { ...person, userCode, scopes });
}

/** Returns a text of a JSON response. Reading all of it would take CPU time of the load. */
function member(response: string, name: string): string {
  const [, text] = new RegExp(`"${name}":"([^"]*)"`).exec(response) ?? [];
  if (text === undefined) throw new Error(`A response has no "${name}".`);
  return text;
}

interface Post {
  readonly host: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  /** More header lines. */
  readonly more?: readonly string[];
}

function post({ host, path, contentType, body, more = [] }: Post): Buffer {
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, "User-Agent: bench", `Content-Type: ${contentType}`];
  return Buffer.from([...head, `Content-Length: ${Buffer.byteLength(body)}`, ...more, "", body].join("\r\n"));
}
