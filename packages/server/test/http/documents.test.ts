import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { type DocumentRequest, type Documents, jsonDocument } from "../../src/http/documents.js";
import { type Document, quality } from "../../src/http/representations.js";
import { expectRpcError } from "../wire/expect-rpc-error.js";
import { startListener } from "../wire/start-listener.js";
import { startStub } from "../wire/start-stub.js";
import { deleteItemPath } from "../wire/wire-request.js";

const bytes = Uint8Array.of(0x00, 0xff, 0x80, 0x0a, 0xc3, 0x28);
const text = "Compresses well. ".repeat(500);
const page: Document = { status: 200, contentType: "text/html; charset=utf-8", body: "<p>é</p>" };
let current = jsonDocument(200, { keys: ["a"] });
const documents: Documents = new Map<string, Document | ((request: DocumentRequest) => Document)>([
  ["/bytes", { status: 200, contentType: "application/octet-stream", body: bytes, cacheControl: "no-cache" }],
  ["/page", { ...page, headers: { "Content-Security-Policy": "default-src 'none'" } }],
  ["/text", { status: 200, contentType: "text/plain", body: text, cacheControl: "max-age=60" }],
  ["/binary", { status: 200, contentType: "application/octet-stream", body: Buffer.alloc(5000) }],
  ["/live", () => current],
  ["/failing", () => jsonDocument(503, { status: "draining" })],
  ["/for-people", { ...page, onlyIfAccepted: true }],
  ["/manual/*", ({ path }) => ({ ...page, status: 404, body: `nothing at ${path}` })],
  ["/manual/errors/*", { ...page, status: 404, body: "no such error", onlyIfAccepted: true }],
  ["/manual/errors/known", page],
  ["/negotiated", { status: 200, contentType: "text/plain", body: text, headers: { Vary: "Accept" } }],
  ["/metadata", { ...jsonDocument(200, { issuer: "https://a.example" }), anyOrigin: true }],
]);
const test = await startListener({ routes: () => {}, documents });
const withOrigins = await startListener({ routes: () => {}, documents, corsOrigins: ["https://app.example"] });
afterAll(() => Promise.all([test.close(), withOrigins.close()]));

const read = (target: string, headers: Record<string, string> = {}, verb = "GET") =>
  test.send({ verb, target, headers: { "Content-Length": undefined, ...headers } });
/** Reads the bytes without decoding their content coding. */
const readRaw = async (target: string, headers: Record<string, string>) => {
  const connection = test.connectDeaf();
  const lines = Object.entries({ Host: "x", Connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  connection.write(`GET ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const received = Buffer.concat(await connection.toArray());
  const end = received.indexOf("\r\n\r\n");
  return { head: received.toString("latin1", 0, end), body: received.subarray(end + 4) };
};

describe("a document", () => {
  it("with a body of bytes is sent unchanged, with its length", async () => {
    const response = await fetch(`${test.url}/bytes`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(response.headers.get("content-length")).toBe("6");
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("with a string as body is sent as UTF-8, with its headers and no-store", async () => {
    const response = await fetch(`${test.url}/page`);
    expect(await response.text()).toBe("<p>é</p>");
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("RFC 9110 section 9.3.2: HEAD returns the headers of GET and no content", async () => {
    const [get, head] = await Promise.all([read("/text"), fetch(`${test.url}/text`, { method: "HEAD" })]);
    expect(head.headers.get("content-length")).toBe(String(text.length));
    expect(head.headers.get("etag")).toBe(get.header("etag"));
    expect(await head.text()).toBe("");
  });

  it("rejects every method but GET and HEAD", async () => {
    const answer = await read("/page", {}, "POST");
    expectRpcError(answer, "METHOD_NOT_ALLOWED");
    expect(answer.header("allow")).toBe("GET, HEAD");
  });

  it("with onlyIfAccepted is served if the Accept header names its type, and is unknown otherwise", async () => {
    const answer = await read("/for-people", { Accept: "application/xhtml+xml, text/html;q=0.9, */*;q=0.8" });
    expect([answer.status, answer.header("vary")]).toEqual([200, "Accept"]);
    for (const headers of [{}, { Accept: "*/*" }, { Accept: "text/html;q=0" }, { Accept: "application/json" }]) {
      expectRpcError(await read("/for-people", headers), "OPERATION_UNKNOWN");
    }
    expectRpcError(await read("/for-people", { Accept: "text/html" }, "POST"), "OPERATION_UNKNOWN");
  });
});

describe("a document for all paths below a folder", () => {
  it.each([
    ["/manual/", 404, "nothing at /manual/"],
    ["/manual/a/b.md", 404, "nothing at /manual/a/b.md"],
    ["/manual/errors/other", 404, "no such error"],
    ["/manual/errors/known", 200, "<p>é</p>"],
  ])("%s: the document of the path, otherwise that of the longest folder", async (target, status, body) => {
    const answer = await read(target, { Accept: "text/html" });
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it("is not for the folder without a slash, nor for a path that only begins like it", async () => {
    for (const target of ["/manual", "/manuals/a"]) expectRpcError(await read(target), "OPERATION_UNKNOWN");
  });

  it("leaves operations below the folder as they are, and has the base path, too", async () => {
    const everything = new Map([["/*", { ...page, status: 404 }]]);
    const own = await startStub(() => {}, { documents: everything, basePath: "/base" });
    const answers = [
      await own.send({ target: `/base${deleteItemPath}`, body: {} }),
      await own.send({ verb: "GET", target: "/base/nowhere", headers: { "Content-Length": undefined } }),
    ];
    await own.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
    expect(answers[1]?.body).toBe("<p>é</p>");
  });
});

describe("a document with anyOrigin (Fetch Standard, CORS protocol)", () => {
  it.each(["https://app.example", "https://other.example"])(
    "can be read by a page of %s, with any header, and without credentials",
    async (Origin) => {
      const url = `${withOrigins.url}/metadata`;
      const asked = {
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "mcp-protocol-version",
      };
      const preflight = await fetch(url, { method: "OPTIONS", headers: { Origin, ...asked } });
      const first = await fetch(url, { headers: { Origin } });
      const again = await fetch(url, { headers: { Origin, "If-None-Match": first.headers.get("etag") ?? "" } });
      expect([preflight.status, first.status, again.status]).toEqual([204, 200, 304]);
      for (const { headers } of [preflight, first, again]) {
        expect(headers.get("access-control-allow-origin")).toBe("*");
        expect(headers.has("access-control-allow-credentials")).toBe(false);
      }
      expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
      expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, HEAD");
    },
  );

  it("is looked for at other well-known paths: a page can read that it is not there (RFC 8615)", async () => {
    const headers = { Origin: "https://other.example", "Access-Control-Request-Method": "GET" };
    for (const path of ["/.well-known/oauth-authorization-server/base", "/base/.well-known/openid-configuration"]) {
      const preflight = await fetch(withOrigins.url + path, { method: "OPTIONS", headers });
      const read = await fetch(withOrigins.url + path, { headers });
      expect([preflight.status, read.status, await read.json()]).toMatchObject([204, 404, { code: "unimplemented" }]);
      for (const each of [preflight, read]) expect(each.headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  it("differs from all other documents, which pages of other origins cannot read", async () => {
    const headers = { Origin: "https://other.example", "Access-Control-Request-Method": "GET" };
    const preflight = await fetch(`${withOrigins.url}/page`, { method: "OPTIONS", headers });
    const read = await fetch(`${withOrigins.url}/page`, { headers });
    expect([preflight.status, read.status]).toEqual([405, 200]);
    expect(read.headers.has("access-control-allow-origin")).toBe(false);
  });
});

it("OPTIONS of a document with another status than 200, such as of readiness, gets the document", async () => {
  const answer = await test.send({ verb: "OPTIONS", target: "/failing", headers: { "Content-Length": undefined } });
  expect([answer.status, answer.body]).toEqual([503, '{"status":"draining"}']);
});

describe("the ETag of a document (RFC 9110 sections 8.8.3 and 13.1.2)", () => {
  it("is strong, and a matching If-None-Match returns 304", async () => {
    const etag = (await read("/text")).header("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await readRaw("/text", { "If-None-Match": given });
      expect(answer.head).toMatch(/^HTTP\/1\.1 304 /);
      expect(answer.head).toContain(`ETag: ${etag}`);
      expect(answer.head).toContain("Cache-Control: max-age=60");
      expect(answer.head).toContain("Vary: Accept-Encoding");
      expect(answer.head).not.toMatch(/^Content-/m);
      expect(answer.body).toHaveLength(0);
    }
    expect((await read("/text", { "If-None-Match": '"other"' })).status).toBe(200);
  });

  it("changes only when the content changes", async () => {
    const first = (await read("/live")).header("etag");
    expect((await read("/live")).header("etag")).toBe(first);
    current = jsonDocument(200, { keys: ["a", "b"] });
    const second = await read("/live");
    expect(second.json()).toEqual({ keys: ["a", "b"] });
    expect(second.header("etag")).not.toBe(first);
  });

  it("is absent from responses other than 200", async () => {
    const answer = await read("/failing", { "If-None-Match": "*" });
    expect([answer.status, answer.header("etag")]).toEqual([503, undefined]);
  });

  it("is computed once for each document object", async () => {
    let reads = 0;
    const counted: Document = {
      status: 200,
      contentType: "text/plain",
      get body() {
        reads += 1;
        return text;
      },
    };
    const own = await startListener({ routes: () => {}, documents: new Map([["/counted", () => counted]]) });
    for (let round = 0; round < 3; round += 1) expect((await fetch(`${own.url}/counted`)).status).toBe(200);
    expect(reads).toBe(1);
    await own.close();
  });
});

it("RFC 9110 section 12.5.5: Vary has the header of the document, and that of its compression", async () => {
  expect((await read("/negotiated")).header("vary")).toBe("Accept, Accept-Encoding");
});

describe("compression (RFC 9110 section 12.5.3)", () => {
  it.each([
    ["gzip", "gzip", gunzipSync],
    ["br", "br", brotliDecompressSync],
    ["br;q=0, gzip", "gzip", gunzipSync],
  ])(
    "returns the document for Accept-Encoding %s in the coding %s, once it is ready",
    async (accepted, coding, decompress) => {
      const asked = { "Accept-Encoding": accepted };
      await expect.poll(async () => (await readRaw("/text", asked)).head).toContain(`Content-Encoding: ${coding}`);
      const { head, body } = await readRaw("/text", asked);
      expect(decompress(body).toString()).toBe(text);
      expect(head).toContain(`Content-Length: ${body.length}`);
      expect(head).toContain("Vary: Accept-Encoding");
      const etag = /ETag: (\S+)/.exec(head)?.[1] ?? "";
      expect(etag).toMatch(new RegExp(`^"[\\w-]{22}-${coding}"$`));
      expect((await readRaw("/text", { ...asked, "If-None-Match": etag })).head).toMatch(/^HTTP\/1\.1 304 /);
    },
  );

  it.each([["gzip;q=0, br;q=0"], ["*"], ["identity"], ["deflate"]])(
    "returns the uncompressed document for Accept-Encoding %s",
    async (accepted) => {
      const { head, body } = await readRaw("/text", { "Accept-Encoding": accepted });
      expect(head).not.toContain("Content-Encoding");
      expect(head).toContain("Vary: Accept-Encoding");
      expect(body.toString()).toBe(text);
    },
  );

  it.each(["/page", "/binary"])("does not compress %s, which is small or binary", async (target) => {
    const { head } = await readRaw(target, { "Accept-Encoding": "gzip, br" });
    expect(head).not.toMatch(/Content-Encoding|Vary/);
  });
});

describe("RFC 9110 section 12.4.2: quality values", () => {
  it.each([
    [undefined, 0],
    ["", 0],
    ["gzip", 1],
    ["br;q=1.0, gzip;q=0.8, *;q=0.1", 0.8],
    ["gzip;q=0", 0],
    ["gzip;q=1.5", 0],
    ["gzip ; Q=0.5", 0.5],
    ["xgzip, gzipx", 0],
    ["*", 0],
  ])("Accept-Encoding %j weights gzip with %d", (header, weight) => {
    expect(quality(header, "gzip")).toBe(weight);
  });
});
