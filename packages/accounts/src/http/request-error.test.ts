import { once } from "node:events";
import { Agent, request } from "node:http";
import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import { jsonForRejected } from "./rejected-request.js";

/** A response whose body is parsed if it is JSON. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** A request over a real socket, with any headers. */
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const large = "x".repeat(257 * 1024);
const html = { Accept: "text/html" };

describe("DECISIONS section 6: every failure has the form that callers of its path read", () => {
  let origin: string;
  const lines: object[] = [];
  beforeAll(async () => {
    const logger = { info: (fields: object) => lines.push(fields), error: (fields: object) => lines.push(fields) };
    const site = await createAccountsSite({ logger });
    const listener = await site.listen();
    ({ origin } = listener);
    return async () => {
      await listener.close();
      await site.close();
    };
  });

  const send = (path: string, { method = "POST", headers = {}, body = "" }: Sent, agent?: Agent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = headers["Transfer-Encoding"] === undefined ? { "Content-Length": String(body.length) } : {};
      const sent = request(origin + path, { method, agent, headers: { ...length, ...headers } }, async (response) => {
        const type = response.headers["content-type"] ?? "";
        const received = await text(response);
        const parsed: unknown = type.startsWith("application/json") ? JSON.parse(received) : received;
        resolve({ status: response.statusCode ?? 0, type, headers: response.headers, body: parsed });
      });
      sent.on("error", reject).end(body);
    });
  const own = () => ({ Origin: origin });

  it.each<[string, number, string, () => Sent]>([
    ["an unknown path", 404, "NOT_FOUND", () => ({ method: "GET" })],
    ["a POST to an unknown path", 404, "NOT_FOUND", () => ({ headers: own() })],
    ["a request of another origin", 403, "CROSS_ORIGIN", () => ({ headers: { Origin: "https://evil.example" } })],
    [
      "a body of unknown size",
      411,
      "LENGTH_REQUIRED",
      () => ({ headers: { ...own(), "Transfer-Encoding": "chunked" } }),
    ],
    ["a body that is too long", 413, "REQUEST_TOO_LARGE", () => ({ headers: own(), body: large })],
    ["another host", 421, "WRONG_HOST", () => ({ headers: { ...own(), Host: "evil.example" } })],
  ])(
    "%s: %d, as {reason, message} under /account/api, otherwise as text or a page",
    async (_, status, reason, sent) => {
      const ofApi = await send("/account/api/nowhere", sent());
      expect(ofApi).toMatchObject({ status, type: "application/json", body: { reason, message: expect.any(String) } });
      expect(Object.keys(Object(ofApi.body))).toEqual(["reason", "message"]);
      const ofText = await send("/nowhere", sent());
      expect(ofText).toMatchObject({ status, type: "text/plain; charset=UTF-8" });
      expect(ofText.body).toMatch(/^[A-Z][^.]+\. .*\.\n$/);
      const { headers, ...rest } = sent();
      const ofPage = await send("/nowhere", { ...rest, headers: { ...headers, ...html } });
      expect(ofPage).toMatchObject({ status, type: "text/html; charset=UTF-8", body: expect.stringContaining("<h1>") });
      expect(ofPage.body).toMatch(/<h1>.*<a href="\/">.*<details>.*<\/details>/s);
      for (const support of [reason, ofPage.headers["x-request-id"]]) {
        expect(ofPage.body).toContain(`<dd><code>${support}</code></dd>`);
      }
      for (const answer of [ofApi, ofText, ofPage]) {
        expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-request-id": expect.any(String) });
      }
    },
  );

  it.each<[string, string, number, () => Sent]>([
    ["a POST to an unknown path", "/oauth/nowhere", 404, () => ({})],
    ["a POST of another origin to an unknown path", "/oauth/nowhere", 404, () => ({ headers: { Origin: "null" } })],
    ["a POST to /oauth", "/oauth", 404, () => ({})],
    ["a GET of an unknown path", "/oauth/nowhere", 404, () => ({ method: "GET" })],
    ["a POST to the keys", "/oauth/jwks", 405, () => ({})],
    ["a POST to the metadata", "/.well-known/oauth-authorization-server", 405, () => ({})],
    ["a body that is too long", "/oauth/token", 413, () => ({ body: large })],
    [
      "a body that is too long, in chunks",
      "/oauth/revoke",
      413,
      () => ({ headers: { "Transfer-Encoding": "chunked" }, body: large }),
    ],
    [
      "a body that is too long and no form",
      "/oauth/token",
      413,
      () => ({ headers: { "Content-Type": "text/plain" }, body: large }),
    ],
    ["another host", "/oauth/token", 421, () => ({ headers: { Host: "evil.example" } })],
  ])("RFC 6749 section 5.2: %s (%s): %d, as an error of OAuth", async (_, path, status, sent) => {
    const { headers, ...answer } = await send(path, sent());
    expect(answer).toEqual({
      status,
      type: "application/json",
      body: {
        error: "invalid_request",
        error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
      },
    });
    expect(headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
  });

  it("a connection can be used again after a body that is too long, also if it was sent in chunks", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const headers of [{ "Transfer-Encoding": "chunked" }, {}]) {
      expect(await send("/oauth/token", { headers, body: large }, agent)).toMatchObject({ status: 413 });
      expect(await send("/oauth/jwks", { method: "GET" }, agent)).toMatchObject({ status: 200 });
    }
    agent.destroy();
  });

  /** Sends the bytes of a request, and resolves with the response when the connection ends. */
  const sendBytes = async (bytes: string): Promise<string> => {
    const { hostname, port } = new URL(origin);
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.write(bytes);
    return text(socket);
  };
  const host = () => `Host: ${new URL(origin).host}`;

  it.each([
    ["a path with a backslash", () => `GET /account\\api HTTP/1.1\r\n${host()}`],
    ["an impossible port in Host", () => "GET / HTTP/1.1\r\nHost: localhost:99999"],
    ["an encoded character in Host", () => "GET / HTTP/1.1\r\nHost: %6cocalhost"],
    ["the target *", () => `OPTIONS * HTTP/1.1\r\n${host()}`],
    ["no Host in HTTP/1.0", () => "GET / HTTP/1.0"],
  ])("%s: 400 with a text and a request id, which is in the log", async (_, head) => {
    const response = await sendBytes(`${head()}\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain("The path and the Host header are not a valid URL.\n");
    const [, requestId] = /x-request-id: (.*)\r\n/i.exec(response) ?? [];
    expect(lines).toContainEqual(expect.objectContaining({ requestId, status: 400, reason: "MALFORMED_HTTP" }));
  });

  it.each([
    ["/oauth/token", { error: "invalid_request", error_description: expect.stringMatching(/^The request is not/) }],
    ["/account/api/sign-in/begin", { reason: "MALFORMED_HTTP", message: expect.stringMatching(/^The request is not/) }],
  ])("a request to %s with two Host headers is rejected in JSON", async (path, body) => {
    const response = await sendBytes(`POST ${path} HTTP/1.1\r\n${host()}\r\n${host()}\r\n\r\n`);
    const [head = "", json = ""] = response.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 .*Content-Type: application\/json/s);
    expect(JSON.parse(json)).toEqual(body);
  });

  it.each([
    ["two Host headers", 400, "invalid_argument", "MALFORMED_HTTP", () => host()],
    ["headers over 16 KiB", 431, "resource_exhausted", "HEADERS_TOO_LARGE", () => `X: ${"x".repeat(20_000)}`],
    ["a coding before chunked", 501, "unimplemented", "ENCODING_UNSUPPORTED", () => "Transfer-Encoding: gzip, chunked"],
  ])("a call of a member with %s gets the Error body", async (_, status, code, reason, line) => {
    const path = "/platform.accounts.v1.MemberVaultService/GetItem";
    const response = await sendBytes(`POST ${path} HTTP/1.1\r\n${host()}\r\n${line()}\r\n\r\n`);
    const [head = "", json = ""] = response.split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*Content-Type: application/json`, "s"));
    const [, requestId] = /x-request-id: (.*)\r\n/i.exec(head) ?? [];
    expect(JSON.parse(json)).toEqual({
      code,
      message: expect.any(String),
      details: [expect.objectContaining({ debug: { reason, domain: "platform.v1", metadata: { requestId } } })],
    });
  });

  it.each([
    ["REQUEST_TIMEOUT", 408, undefined, ["google.rpc.ErrorInfo"]],
    ["UNAVAILABLE", 503, 1_000, ["google.rpc.ErrorInfo", "google.rpc.RetryInfo"]],
  ] as const)("%s on a path of members is the Error body, elsewhere not", (reason, status, retryAfterMs, details) => {
    const rejected = { reason, status, retryAfterMs, requestId: "r-1", message: "Try again." };
    expect(jsonForRejected({ ...rejected, url: "/platform.accounts.v1.MemberVaultService/PutItem" })).toMatchObject({
      code: reason === "UNAVAILABLE" ? "unavailable" : "deadline_exceeded",
      details: details.map((type) => ({ type })),
    });
    expect(jsonForRejected({ ...rejected, url: "/account" })).toBeUndefined();
  });

  it("a caller that disconnects before its body has arrived causes no failure of the server in the log", async () => {
    lines.length = 0;
    const { hostname, port } = new URL(origin);
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.write(`POST /oauth/token HTTP/1.1\r\n${host()}\r\nContent-Length: 9\r\n\r\nab`);
    await once(socket, "connect");
    setImmediate(() => socket.destroy());
    await expect.poll(() => lines).toContainEqual(expect.objectContaining({ route: "/oauth/token", status: 400 }));
    expect(lines).not.toContainEqual(expect.objectContaining({ status: 500 }));
  });
});
