import { isDeepStrictEqual } from "node:util";
import type { NextRequest } from "../load/load.ts";
import { inBatches } from "../platform/bench-platform.ts";

export const oauthClientId = "demo-agent";
export const scope = "vault.items:delete";
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
export const endpoints = { device: "/oauth/device_authorization", token: "/oauth/token" } as const;

/** One principal may have 100 calls in flight. */
const atOnce = 50;

export interface AuthorizationServer {
  readonly title: string;
  readonly url: string;
  approve(userCode: string): Promise<void>;
  cpuMicros(): Promise<number>;
}

/** Starts and approves device authorizations. Returns a function that exchanges the code of each once. */
export async function prepareExchanges(server: AuthorizationServer, count: number): Promise<NextRequest> {
  const codes = await startApproved(server, count);
  return () => tokenRequest(server, { grant_type: deviceGrant, device_code: codes.pop() ?? "" });
}

/** Logs in on devices. Returns a function that renews the tokens of each with its newest refresh token. */
export async function prepareRefreshes(server: AuthorizationServer, count: number): Promise<NextRequest> {
  const codes = await startApproved(server, count);
  const exchange = (code: string) => send(server, "token", { grant_type: deviceGrant, device_code: code });
  const refreshTokens = (await Promise.all(codes.map(exchange))).map((issued) => member(issued, "refresh_token"));
  return (previous) => {
    const newest = previous === undefined ? refreshTokens.pop() : member(String(previous), "refresh_token");
    return tokenRequest(server, { grant_type: "refresh_token", refresh_token: newest ?? "" });
  };
}

/** Checks that all servers issue the same kinds of tokens for both grants. @throws Error with the differences */
export async function requireSameGrants(servers: readonly AuthorizationServer[]): Promise<void> {
  const issued = await Promise.all(servers.map(describeGrants));
  if (issued.some((grants) => !isDeepStrictEqual(grants, issued[0])))
    throw new Error(
      `The servers issue different tokens, so they cannot be compared:\n${JSON.stringify(issued, null, 2)}`,
    );
}

async function describeGrants(server: AuthorizationServer) {
  const [deviceCode = ""] = await startApproved(server, 1);
  const exchanged = await send(server, "token", { grant_type: deviceGrant, device_code: deviceCode });
  const refreshToken = member(exchanged, "refresh_token");
  const refreshed = await send(server, "token", { grant_type: "refresh_token", refresh_token: refreshToken });
  const rotates = member(refreshed, "refresh_token") !== refreshToken;
  return { exchanged: describeTokens(exchanged), refreshed: describeTokens(refreshed), rotates };
}

function describeTokens(response: string) {
  const [header = ""] = member(response, "access_token").split(".");
  const { alg, typ } = JSON.parse(Buffer.from(header, "base64url").toString());
  // The platform says with each refresh token that the client got one. The peer does not.
  const scope = member(response, "scope").replace(" offline_access", "");
  return { alg, typ, members: Object.keys(JSON.parse(response)).sort(), scope };
}

async function startApproved(server: AuthorizationServer, count: number): Promise<string[]> {
  const codes: string[] = [];
  const start = async () => {
    const started = await send(server, "device", { scope });
    await server.approve(member(started, "user_code"));
    codes.push(member(started, "device_code"));
  };
  await inBatches(count, start, atOnce);
  return codes;
}

async function send(
  { url }: AuthorizationServer,
  endpoint: keyof typeof endpoints,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const body = new URLSearchParams({ client_id: oauthClientId, ...fields });
  const response = await fetch(url + endpoints[endpoint], { method: "POST", body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${endpoints[endpoint]} answered ${response.status}: ${text}`);
  return text;
}

/** Returns a text of a JSON response. Reading all of it would take CPU time of the load. */
export function member(response: string, name: string): string {
  const [, text] = new RegExp(`"${name}":"([^"]*)"`).exec(response) ?? [];
  if (text === undefined) throw new Error(`A response has no "${name}".`);
  return text;
}

function tokenRequest({ url }: AuthorizationServer, fields: Readonly<Record<string, string>>): Buffer {
  const body = new URLSearchParams({ client_id: oauthClientId, ...fields }).toString();
  return postRequest({ url, path: endpoints.token, contentType: "application/x-www-form-urlencoded", body });
}

interface Post {
  readonly url: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  readonly more?: readonly string[];
}

export function postRequest({ url, path, contentType, body, more = [] }: Post): Buffer {
  const host = `Host: ${new URL(url).host}`;
  const head = [`POST ${path} HTTP/1.1`, host, "User-Agent: bench", `Content-Type: ${contentType}`];
  return Buffer.from([...head, `Content-Length: ${Buffer.byteLength(body)}`, ...more, "", body].join("\r\n"));
}
