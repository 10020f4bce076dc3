import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { SecretToken } from "@platform-rpc/client";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../testing/start-server.js";
import { createBroker } from "./broker.js";

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);

/** Starts a broker that answers with these replies, and a server of MCP in front of it. The connection breaks without a reply. */
async function setUp(...replies: readonly (Reply | undefined)[]) {
  const requests: (Pick<IncomingMessage, "method" | "url" | "headers"> & { readonly body: string })[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const reply = replies[requests.push({ method, url, headers, body: await text(request) }) - 1];
    if (reply === undefined) return void response.destroy();
    response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
  }).listen(0, "127.0.0.1");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  const reasons: (string | undefined)[] = [];
  const session = {
    keyPair: async () => keyPair,
    token: async ({ reason }: { readonly reason?: string } = {}) => {
      const count = reasons.push(reason);
      return { accessToken: new SecretToken(`broker-token-${count}`), expiresAt: new Date() };
    },
  };
  const started = await startServer({ broker: createBroker({ url, openSession: async () => session }) });
  const use = (args: object) => started.call("http_request", { url: "https://api.example.com/user?a=b", ...args });
  return { ...started, use, url, requests, reasons, close };
}

/** A response of the broker itself. */
function refusalWith(reason: string, status = 403): Reply {
  const metadata = { page: "https://accounts.example/console/agents" };
  const body = { message: "Not sent.", details: [{ debug: { reason, metadata } }] };
  const headers = { "WWW-Authenticate": "DPoP", "Platform-Reason": reason, "X-Request-Id": "r-1" };
  return { status, headers, body: JSON.stringify(body) };
}

const claimsOf = (jwt: string | string[] = "") =>
  JSON.parse(`${Buffer.from(`${jwt}`.split(".")[1] ?? "", "base64url")}`);

it("sends the request with a proof of the login's key, and no header that the broker writes", async () => {
  const { use, url, requests } = await setUp({ status: 201, body: "{}", headers: { "Content-Type": "text/json" } });
  const headers = { Authorization: "Bearer {{key}}", Cookie: "a=b", Host: "evil.example", "X-Other": "c" };
  const { structuredContent } = await use({ method: "POST", headers, body: "hello", item: "Büro" });
  expect(structuredContent).toMatchObject({ status: 201, body: "{}", headers: { "content-type": "text/json" } });
  expect(requests).toMatchObject([
    {
      ...{ method: "POST", url: "/api.example.com/user?a=b", body: "hello" },
      headers: {
        authorization: "DPoP broker-token-1",
        "platform-item": Buffer.from("Büro").toString("latin1"),
        "x-other": "c",
        host: new URL(url).host,
      },
    },
  ]);
  expect(requests[0]?.headers.cookie).toBeUndefined();
  const { dpop } = requests[0]?.headers ?? {};
  expect(claimsOf(dpop)).toMatchObject({ htm: "POST", htu: `${url}/api.example.com/user` });
});

it.each([
  [{ url: "ftp://api.example.com" }, "Nothing was sent."],
  [{ url: "https://ada:secret@api.example.com" }, "Nothing was sent."],
  [{ body: "with GET" }, "Nothing was sent."],
  [{ headers: { "X-A": "b\r\nHost: c" } }, "Invalid arguments"],
])("refuses %j", async (args, expected) => {
  const { use, requests } = await setUp();
  expect(await use(args)).toMatchObject({ isError: true, text: expect.stringContaining(expected) });
  expect(requests).toEqual([]);
});

it.each<[string, Reply, unknown]>([
  ["bytes that are no text", { body: Buffer.of(0xff, 0xfe) }, { bodyBase64: "//4=" }],
  ["a long body", { body: "a".repeat(300_000) }, { body: "a".repeat(262_144), truncated: true }],
  [
    "a redirect",
    { status: 302, headers: { Location: "https://b.example" } },
    { headers: { location: "https://b.example" } },
  ],
  ["a challenge", { status: 401, headers: { "WWW-Authenticate": "Basic" }, body: "no" }, { status: 401, body: "no" }],
])("gives back %s of a website", async (_, reply, expected) => {
  const { use, requests } = await setUp(reply);
  expect(await use({})).toMatchObject({ isError: false, structuredContent: expected });
  expect(requests).toHaveLength(1);
});

it("sends a URL of the broker, which is in the headers Location and Link of a website, as it is", async () => {
  const { use, url, requests } = await setUp({ body: "page 2" });
  expect(await use({ url: `${url}/api.example.com/user?page=2` })).toMatchObject({
    structuredContent: { body: "page 2" },
  });
  expect(requests).toMatchObject([{ url: "/api.example.com/user?page=2" }]);
  const { dpop } = requests[0]?.headers ?? {};
  expect(claimsOf(dpop)).toMatchObject({ htu: `${url}/api.example.com/user` });
});

it("says what the listener of the broker has refused, in plain text", async () => {
  const headers = { "Platform-Reason": "HEADERS_TOO_LARGE", "X-Request-Id": "r-1" };
  const { use } = await setUp({ status: 431, headers, body: "The headers are too large.\n" });
  const text = "The headers are too large.\nReason: HEADERS_TOO_LARGE\nRequest id: r-1";
  expect(await use({})).toMatchObject({ isError: true, text });
});

it("says what the broker has refused, and where the person decides", async () => {
  const { use } = await setUp(refusalWith("DELEGATION_EXHAUSTED"));
  expect(await use({})).toMatchObject({
    isError: true,
    text: "Not sent.\nThe person decides at https://accounts.example/console/agents\nReason: DELEGATION_EXHAUSTED\nRequest id: r-1",
  });
});

it.each([
  ["accept", { text: expect.stringContaining("done"), isError: false }, 2],
  ["decline", { text: expect.stringContaining("Reason: USE_NOT_CONFIRMED"), isError: true }, 2],
] as const)(
  "opens the page for a person who wants to be asked each time, and tries again after %s",
  async (action, expected, count) => {
    const refused = refusalWith("USE_NOT_CONFIRMED");
    const { use, requests, asked, answer } = await setUp(refused, action === "accept" ? { body: "done" } : refused);
    answer(() => ({ action }));
    expect(await use({})).toMatchObject(expected);
    expect(asked).toMatchObject([{ mode: "url", url: "https://accounts.example/console/agents" }]);
    expect(requests).toHaveLength(count);
  },
);

it("says also of a refused HEAD why it was refused", async () => {
  const { use } = await setUp(refusalWith("LOCKED"));
  expect((await use({ method: "HEAD" })).text).toContain("Reason: LOCKED");
});

it.each([
  ["USE_APPROVAL_ENDED", 403],
  ["USE_NOT_APPROVED", 403],
  ["TOKEN_EXPIRED", 401],
])("renews the token once after %s", async (reason, status) => {
  const stale = refusalWith(reason, status);
  const { use, requests, reasons } = await setUp(stale, stale, {});
  expect((await use({})).text).toContain(reason);
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(["DPoP broker-token-1", "DPoP broker-token-2"]);
  expect(reasons).toEqual(["first", "rejected"]);
});

it("says how to start a broker that does not run, and of a broken connection that the request may have been sent", async () => {
  const { use, close } = await setUp(undefined);
  expect((await use({ method: "POST" })).text).toContain("The request may have been sent");
  close();
  expect((await use({ method: "POST" })).text).toContain("The person starts it with: platform broker");
});
