import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { createAssistant, kinds } from "./testing/assistants.js";
import { startMcpApp } from "./testing/start-mcp-app.js";

const lines: string[] = [];
const log = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));

// The time of the rates stands still.
const now = Date.now();
const clocks = { wall: () => now, monotonic: () => now };
const app = await startMcpApp({ DRAIN_DELAY_SECONDS: "1" }, { logger: { info: log, error: log }, clocks });
const assistant = createAssistant(app, await app.person("i-1"), kinds[2]);
await assistant.listTools();
const token = assistant.provider.tokens()?.access_token ?? "";
afterAll(() => app.end());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_items", arguments: {} } };

/** Sends a request of a client from before 2026, with something changed. */
function send({ method = "POST", path = "/mcp", headers = {}, body = JSON.stringify(message) }: Sent = {}) {
  const sent = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    Accept: "application/json, text/event-stream",
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(sent).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const sending = request(new URL(path, app.mcpUrl), { method, headers: given }, (response) => {
      text(response).then((received) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received });
      }, reject);
    });
    sending.on("error", reject).end(method === "GET" ? undefined : body);
  });
}

describe("a request", () => {
  it("without mistakes is served", async () => {
    const { status, body } = await send();
    expect([status, body]).toEqual([200, expect.stringContaining('"itemId":"i-1"')]);
  });

  const inChunks = { "Content-Length": undefined, "Transfer-Encoding": "chunked" };
  it("in chunks is served", async () => {
    expect(await send({ headers: inChunks })).toMatchObject({ status: 200 });
  });

  const { host: another } = new URL("http://attacker.example:8083");
  it.each<[string, Sent, number, string]>([
    ["for another Host, as after DNS rebinding", { headers: { Host: another } }, 421, "Use its host name"],
    [
      "for localhost, which is not the name in the metadata",
      { headers: { Host: "localhost" } },
      421,
      "http://127.0.0.1",
    ],
    ["of a page of another origin", { headers: { Origin: "https://attacker.example" } }, 403, "Not allowed"],
    ["of a sandboxed page", { headers: { Origin: "null" } }, 403, "Not allowed"],
    [
      "with GET, because there are no open streams",
      { method: "GET", headers: { "Content-Length": undefined } },
      405,
      "Use POST",
    ],
    ["with DELETE, because there are no sessions", { method: "DELETE" }, 405, "Use POST"],
    ["to another path", { path: "/mcp/x" }, 404, "Use http://127.0.0.1"],
    ["in another media type", { headers: { "Content-Type": "text/plain" } }, 415, "application/json"],
    ["that accepts no stream", { headers: { Accept: "text/html" } }, 406, "text/event-stream"],
    ["over 64 KiB", { body: `"${"x".repeat(64 * 1024)}"` }, 413, "too large"],
    ["over 64 KiB, in chunks", { headers: inChunks, body: `"${"x".repeat(64 * 1024)}"` }, 413, "too large"],
    ["that is not JSON", { body: "{" }, 400, "-32700"],
    ["without a token", { headers: { Authorization: undefined } }, 401, "Send an access token"],
    ["with its token in the URL", { path: "/mcp?access_token=a" }, 400, "A token or code in the URL"],
    ["with a pushed request in the URL", { path: "/mcp?request_uri=a" }, 400, "A token or code in the URL"],
  ])("%s is rejected", async (_, sent, status, answer) => {
    const response = await send(sent);
    expect([response.status, response.body]).toEqual([status, expect.stringContaining(answer)]);
    expect(response.headers["cache-control"]).toBe("no-store");
    if (status === 405) expect(response.headers).toMatchObject({ allow: "POST" });
  });

  const get = { method: "GET", headers: { "Content-Length": undefined } };
  it.each<[string, Sent, number]>([
    ["without a token", { headers: { Authorization: undefined } }, 401],
    ["with a token", {}, 403],
    ["that opens a stream", { ...get }, 405],
    ["for metadata that is elsewhere", { ...get, path: "/.well-known/oauth-authorization-server" }, 404],
    ["for metadata of another path", { ...get, path: "/.well-known/oauth-protected-resource/other" }, 404],
    ["for registration", { path: "/register" }, 404],
  ])(
    "of a page of another origin %s gets an error that the page can read, after a preflight",
    async (_, sent, status) => {
      const Origin = "https://client.example";
      const asked = [
        "authorization",
        "content-type",
        "mcp-protocol-version",
        "mcp-session-id",
        "last-event-id",
        "dpop",
      ];
      const ask = { "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": asked.join(",") };
      const preflight = await send({ ...sent, method: "OPTIONS", headers: { ...ask, Origin }, body: "" });
      const allowed = String(preflight.headers["access-control-allow-headers"]).split(",");
      expect([preflight.status, allowed]).toEqual([204, expect.arrayContaining(asked)]);
      const { headers, ...answer } = await send({ ...sent, headers: { ...sent.headers, Origin } });
      expect([answer.status, headers["access-control-allow-origin"]]).toEqual([status, "*"]);
      for (const name of ["WWW-Authenticate", "Mcp-Session-Id", "Retry-After", "DPoP-Nonce"]) {
        expect(headers["access-control-expose-headers"]).toContain(name);
      }
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
    },
  );

  it("of the origin of the server itself is served", async () => {
    const { origin } = new URL(app.mcpUrl);
    expect((await send({ headers: { Origin: origin } })).status).toBe(200);
  });
});

describe("the log", () => {
  it("has a line for each request, with no token, argument or result", async () => {
    lines.length = 0;
    const { headers } = await send({
      body: JSON.stringify({ ...message, params: { name: "list_items", arguments: { vault: "secret-vault" } } }),
    });
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    const line = lines.map((each) => JSON.parse(each)).find(({ requestId }) => requestId === headers["x-request-id"]);
    expect(line).toMatchObject({ listener: "mcp", method: "POST", route: "/mcp", message: "request" });
    const all = lines.join("\n");
    for (const secret of [token, token.slice(-40), "secret-vault", "i-1"]) expect(all).not.toContain(secret);
  });
});

describe("the metrics", () => {
  it("count requests by outcome, the operations that tools call by reason, and connections", async () => {
    await send();
    await send({ headers: { Authorization: undefined } });
    const text = await (await fetch(`${app.internalUrl}/metrics`)).text();
    const listing = "platform.accounts.v1.MemberVaultService/ListChanges";
    const samples = [
      `platform_calls_total{listener="mcp",operation="${listing}",reason="OK"}`,
      'platform_calls_total{listener="mcp",operation="other",reason="UNAUTHENTICATED"}',
      `platform_call_duration_seconds_count{listener="mcp",operation="${listing}"}`,
      'platform_connections{listener="mcp"}',
    ];
    const lines = text.split("\n");
    const numberOf = (sample: string) =>
      Number(
        lines
          .find((line) => line.startsWith(`${sample} `))
          ?.split(" ")
          .at(-1),
      );
    expect(samples.filter((sample) => !(numberOf(sample) > 0))).toEqual([]);
  });
});

describe("the rate of a person", () => {
  it("rejects their calls beyond it with 429 and Retry-After, and others are served", async () => {
    const other = createAssistant(app, await app.person("i-9"), kinds[2]);
    const answers = await Promise.all(Array.from({ length: 201 }, () => send({ body: "{" })));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.headers["retry-after"]).toMatch(/^[0-9]+$/);
    expect((await other.call("list_items", {})).content).toMatchObject({ items: [{ itemId: "i-9" }] });
  });
});

describe("health", () => {
  it("is served for any Host, without a token, and readiness fails while the process stops", async () => {
    const ask = (path: string) =>
      send({ method: "GET", path, headers: { Host: "probe", Authorization: undefined, "Content-Length": undefined } });
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(200);
    const stopped = app.stop();
    await expect.poll(async () => (await ask("/readyz")).status).toBe(503);
    // Calls are served until the listener closes.
    expect((await send({ headers: { Authorization: undefined } })).status).toBe(401);
    await stopped;
    await expect(ask("/healthz")).rejects.toThrow("ECONNREFUSED");
  });
});
