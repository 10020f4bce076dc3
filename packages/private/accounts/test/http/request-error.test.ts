import { once } from "node:events";
import { Agent, request } from "node:http";
import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { createAccountsSite } from "../../src/testing/accounts-site.js";

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
    ["a request of another origin", 403, "CROSS_ORIGIN", () => ({ headers: { Origin: "https://evil.example" } })],
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
      const excluded = await send("/nowhere", { ...rest, headers: { ...headers, Accept: "*/*, text/html;q=0" } });
      expect(excluded).toMatchObject({ status, type: ofText.type });
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
    ["a POST to the keys", "/oauth/jwks", 405, () => ({})],
    [
      "a body that is too long, in chunks",
      "/oauth/revoke",
      413,
      () => ({ headers: { "Transfer-Encoding": "chunked" }, body: large }),
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

  it("the link in an error of a call leads to the documentation of the API", async () => {
    const { status, headers } = await send("/docs/errors/INVALID_FIELD", { method: "GET" });
    const { location } = headers;
    expect([status, location]).toEqual([307, expect.stringMatching(/^https?:.*\/docs\/errors\/INVALID_FIELD$/)]);
  });

  it("a body in chunks is read like one with Content-Length, up to the same limit", async () => {
    const sent = { headers: { ...own(), "Content-Type": "application/json", "Transfer-Encoding": "chunked" } };
    const begin = "/account/api/sign-in/begin";
    expect(await send(begin, { ...sent, body: '{"again":false}' })).toMatchObject({ status: 200 });
    const tooLong = { status: 413, body: { reason: "REQUEST_TOO_LARGE" } };
    expect(await send(begin, { ...sent, body: large })).toMatchObject(tooLong);
    const form = { ...sent.headers, "Content-Type": "application/x-www-form-urlencoded" };
    expect(await send("/device", { headers: form, body: "user_code=x" })).toMatchObject({ status: 303 });
    expect(await send("/device", { headers: form, body: large })).toMatchObject({ status: 413 });
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

  it.each([["a path with a backslash", () => `GET /account\\api HTTP/1.1\r\n${host()}`]])(
    "%s: 400 with a text and a request id, which is in the log",
    async (_, head) => {
      const response = await sendBytes(`${head()}\r\nConnection: close\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response).toContain("The path and the Host header are not a valid URL.\n");
      const [, requestId] = /x-request-id: (.*)\r\n/i.exec(response) ?? [];
      expect(lines).toContainEqual(expect.objectContaining({ requestId, status: 400, reason: "MALFORMED_HTTP" }));
    },
  );

  it.each([
    ["/oauth/token", { error: "invalid_request", error_description: expect.stringMatching(/^The request is not/) }],
    ["/account/api/sign-in/begin", { reason: "MALFORMED_HTTP", message: expect.stringMatching(/^The request is not/) }],
  ])("a request to %s with two Host headers is rejected in JSON", async (path, body) => {
    const response = await sendBytes(`POST ${path} HTTP/1.1\r\n${host()}\r\n${host()}\r\n\r\n`);
    const [head = "", json = ""] = response.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 .*Content-Type: application\/json/s);
    expect(JSON.parse(json)).toEqual(body);
  });

  it("a call of a member with two Host headers gets the Error body", async () => {
    const path = "/platform.accounts.v1.MemberVaultService/GetItem";
    const response = await sendBytes(`POST ${path} HTTP/1.1\r\n${host()}\r\n${host()}\r\n\r\n`);
    const [head = "", json = ""] = response.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 .*Content-Type: application\/json/s);
    const [, requestId] = /x-request-id: (.*)\r\n/i.exec(head) ?? [];
    const debug = { reason: "MALFORMED_HTTP", domain: "platform.v1", metadata: { requestId } };
    expect(JSON.parse(json)).toEqual({
      code: "invalid_argument",
      message: expect.any(String),
      details: [expect.objectContaining({ debug })],
    });
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
