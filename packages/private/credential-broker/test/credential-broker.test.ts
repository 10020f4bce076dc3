import { generateKeyPairSync, hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, request as requestHttp } from "node:http";
import { createConnection, isIPv6 } from "node:net";
import { text as readText } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { ResolveError } from "@platform-rpc/front/resolve-host";
import { calculateJwkThumbprint, SignJWT } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createAnswerMasking } from "../src/mask-answer.js";
import { mask } from "../src/mask-secrets.js";
import { type BrokerSetUp, secret, startBroker, tokenOf } from "./testing/start-broker.js";

type Broker = Awaited<ReturnType<typeof startBroker>>;

const basic = Buffer.from(`ada:${secret}`).toString("base64");

describe("a request of an agent arrives with the secret", () => {
  it.each<[how: string, kind: string, useAs: string, init: RequestInit, arrived: object]>([
    ["as Bearer, the default of an API key", "api_key", "", {}, { headers: { authorization: `Bearer ${secret}` } }],
    ["as Basic, the default of a login", "login", "", {}, { headers: { authorization: `Basic ${basic}` } }],
    ["in a header", "api_key", "header X-Key", { headers: { "x-key": "own" } }, { headers: { "x-key": secret } }],
    ["in the query", "api_key", "query key", {}, { url: `/path?a=1&key=${encodeURIComponent(secret)}` }],
    [
      "in a JSON body",
      "login",
      "placeholders",
      { method: "POST", headers: { "content-type": "application/json" }, body: '{"p":"{{password}}"}' },
      { body: JSON.stringify({ p: secret }), headers: { "content-length": "30" } },
    ],
    [
      "in a form",
      "login",
      "placeholders",
      { method: "POST", body: new URLSearchParams({ p: "{{password}}" }) },
      { body: `p=${encodeURIComponent(secret)}` },
    ],
    [
      "in a header, by a placeholder",
      "login",
      "placeholders",
      { headers: { a: "{{password}}" } },
      { headers: { a: secret } },
    ],
  ])("%s", async (_, kind, useAs, init, arrived) => {
    const broker = await startBroker();
    const name = kind === "login" ? "password" : "key";
    broker.vault.put("i-1", {
      ...{ kind, title: "Example" },
      fields: { username: "ada", [name]: secret, website: `https://${broker.host}`, use_as: useAs },
    });
    const query = useAs.startsWith("query") ? "?a=1&key=own" : "";
    expect(await broker.send(`/${broker.host}/path${query}`, init)).toMatchObject({ status: 200, text: "done" });
    const { headers, ...received } = arrived as { headers?: object };
    expect(broker.upstream.received).toMatchObject([{ ...received, headers: { host: broker.host, ...headers } }]);
    expect(broker.counter.counted.size).toBe(1);
  });
});

it("no credential of the agent, no header of the connection, and no cookie passes in either direction", async () => {
  const { send, upstream, host } = await startBroker();
  upstream.answer = (response) =>
    response
      .writeHead(302, { Location: "https://elsewhere.example/", "Set-Cookie": "a=b", "Platform-Reason": "x" })
      .end();
  const own = {
    Cookie: "c=d",
    DPoP: "x",
    "Proxy-Authorization": "x",
    "Platform-Item": "Example",
    TE: "trailers",
    Range: "bytes=0-9",
    "X-MS-Range": "bytes=0-9",
  };
  const { status, headers } = await send(`/${host}/a%2Fb`, { headers: own });
  expect([status, headers.get("location")]).toEqual([302, "https://elsewhere.example/"]);
  expect([headers.get("set-cookie"), headers.get("platform-reason")]).toEqual([null, null]);
  const [{ headers: received, url } = expect.unreachable()] = upstream.received;
  expect(url).toBe("/a%2Fb");
  for (const name of ["cookie", "dpop", "proxy-authorization", "platform-item", "te", "range", "x-ms-range"])
    expect(received[name]).toBeUndefined();
});

const escapedEach = (text: string, escaped: (hex: string) => string) =>
  [...text].map((character) => escaped(character.charCodeAt(0).toString(16))).join("");

describe("the secret is masked in the answer", () => {
  const forms = [
    ...[secret, encodeURIComponent(secret), JSON.stringify(secret), Buffer.from(secret).toString("base64")],
    ...[`xx${secret}yy`, `xxx${secret}`].map((text) => Buffer.from(text).toString("base64url")),
    ...[secret.replaceAll("&", "&amp;"), Buffer.from(secret).toString("hex")],
  ];
  it.each(forms)("as %s, in parts of every size", async (form) => {
    const { send, upstream } = await startBroker();
    for (const size of [1, 3, 7, 1000]) {
      upstream.answer = async (response) => {
        response.setHeader("X-Echo", form);
        const text = `before ${form} after`;
        for (let at = 0; at < text.length; at += size) {
          response.write(text.slice(at, at + size));
          await new Promise((done) => setImmediate(done));
        }
        response.end();
      };
      const { text, headers } = await send();
      expect(text).toMatch(/^before .*<masked pvault>.* after$/);
      expect(headers.get("x-echo")).toContain(mask);
      expect(text.length).toBeLessThan(40);
    }
  });

  const quoted = `p&ss<w'rd"+1`;
  it.each([
    ["JSON of Go", quoted, `p\\u0026ss\\u003cw'rd\\"+1`],
    ["JSON of .NET", quoted, `p\\u0026ss\\u003Cw\\u0027rd\\u0022\\u002B1`],
    ["JSON inside of JSON", quoted, `p&ss<w'rd\\\\\\"+1`],
    ["JSON with each character escaped", quoted, escapedEach(quoted, (hex) => `\\u00${hex}`)],
    ["HTML of Python", quoted, "p&amp;ss&lt;w&#x27;rd&quot;+1"],
    ["HTML of PHP", quoted, "p&amp;ss&lt;w&#039;rd&quot;+1"],
    ["HTML of Mustache", secret, "s3cret&#x2F;with+signs&amp;more"],
    ["HTML of Go", secret, "s3cret/with&#43;signs&amp;more"],
    ["HTML with each character escaped", secret, escapedEach(secret, (hex) => `&#x${hex};`)],
    ["a URL of Python", secret, "s3cret/with%2Bsigns%26more"],
    ["a URL of Go", secret, "s3cret%2Fwith+signs&more"],
    ["a URL inside of a URL", secret, "s3cret%252fwith%252Bsigns%2526more"],
    ["a URL with each character escaped", secret, escapedEach(secret, (hex) => `%${hex}`)],
    ["mail", secret, "s3cret/with+signs=26more"],
    ["Basic credentials in JSON of .NET", "dXNlcjpw+GFz", "dXNlcjpw\\u002BGFz"],
  ])("as in %s", (_, value, form) => {
    expect(createAnswerMasking([value]).header(`a ${form} b`)).toBe(`a ${mask} b`);
  });

  it("as in base64 with line breaks, but for the ends that depend on what is around", () => {
    const lines = Buffer.from(secret)
      .toString("base64")
      .replace(/(.{9})/g, "$1\r\n");
    expect(createAnswerMasking([secret]).header(lines)).toMatch(/^<masked pvault>.?={0,2}$/);
  });

  it("shows at once a line end, and what differs from it", () => {
    const body = createAnswerMasking([secret, "s3cret w&th \u00fc and \u{1f600}"]).body();
    for (const text of ["data: s3cret/\n\n", "s3cret with\n", "%2Fwith\r\n"]) {
      expect(Buffer.from(body.push(Buffer.from(text))).toString()).toBe(text);
    }
  });

  it("in the name of a header, which node:http writes in lower case", async () => {
    const named = "S3cret-Name";
    const broker = await startBroker();
    broker.vault.put("i-1", { kind: "api_key", title: "", fields: { key: named, host: broker.host } });
    broker.upstream.answer = (response) => response.setHeader(`X-${named}`, "1").end();
    expect([...(await broker.send()).headers.keys()].join()).not.toContain(named.toLowerCase());
  });

  it("also if the request before had another secret of the item", async () => {
    const { vault, host, upstream, send } = await startBroker();
    const fields = { username: "ada-of-acme", password: secret, website: host, use_as: "placeholders" };
    vault.put("i-1", { kind: "login", title: "", fields });
    upstream.answer = (response, { headers: { a } }) => response.end(`${a}`);
    for (const name of ["username", "password"]) {
      expect(await send(undefined, { headers: { a: `{{${name}}}` } })).toMatchObject({ status: 200, text: mask });
    }
  });

  it("that another request has sent to the same host, from another field or item", async () => {
    const { vault, host, upstream, send } = await startBroker();
    const stored = { kind: "login", title: "Stored", fields: { password: "another s3cret", website: host } };
    vault.put("i-2", { ...stored, fields: { ...stored.fields, use_as: "placeholders" } });
    upstream.answer = (response) => response.end(`another s3cret and ${secret}`);
    expect(await send(undefined, { headers: { "Platform-Item": "i-1" } })).toMatchObject({
      text: `${mask} and ${mask}`,
    });
  });

  it("without the scheme with which it is stored for a header", async () => {
    const { vault, host, upstream, send } = await startBroker();
    vault.put("i-1", { kind: "api_key", title: "", fields: { key: `Token ${secret}`, host, use_as: "header X-Key" } });
    upstream.answer = (response) => response.end(`it is ${secret}`);
    expect(await send()).toMatchObject({ text: `it is ${mask}` });
  });

  it("an empty body in any coding is given back", async () => {
    const { send, upstream } = await startBroker();
    for (const coding of ["gzip", "deflate", "br"]) {
      upstream.answer = (response) => response.writeHead(201, { "Content-Encoding": coding }).end();
      expect(await send()).toMatchObject({ status: 201, text: "" });
    }
  });

  it("in a compressed body, which is sent decoded", async () => {
    const { send, upstream } = await startBroker();
    upstream.answer = (response) =>
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(`before ${secret}`));
    const { text, headers } = await send();
    expect([text, headers.get("content-encoding")]).toEqual([`before ${mask}`, null]);
  });

  it.each([
    ["transfer coding", { "Transfer-Encoding": "gzip, chunked" }],
    ["coding", { "Content-Encoding": "secret-coding" }],
  ])("a body in another %s is refused", async (_, headers) => {
    const { send, upstream } = await startBroker();
    upstream.answer = (response) => response.writeHead(200, headers).end(secret);
    expect(await send()).toMatchObject({ status: 502, reason: "UPSTREAM_FAILED" });
  });
});

describe("an attack sends nothing, and counts nothing", () => {
  type Sent = ReturnType<Broker["send"]>;
  const withToken = async (claims: Record<string, unknown>) => ({
    headers: { authorization: `Bearer ${await tokenOf(claims)}` },
  });
  const bounds = (bound: object) => ({ authorization_details: [{ type: "vault", ...bound }] });
  const expectRefused = async ({ upstream, counter }: Broker, sent: Sent, reason: string) => {
    expect(await sent).toMatchObject({ reason, status: expect.any(Number) });
    expect(upstream.received).toEqual([]);
    expect(counter.counted.size).toBe(0);
  };

  it.each<[target: string, reason: string, path: (host: string) => string]>([
    ["an IPv4 address in hexadecimal", "MALFORMED_TARGET", () => "/0x7f000001/a"],
    ["an IPv4 address in decimal", "MALFORMED_TARGET", () => "/2130706433/a"],
    ["a shortened IPv4 address", "MALFORMED_TARGET", () => "/127.1/a"],
    ["an IPv6 address in another spelling", "MALFORMED_TARGET", () => "/[0:0:0:0:0:0:0:1]/a"],
    ["an IPv6 address with a zone", "MALFORMED_TARGET", () => "/[fe80::1%25eth0]/a"],
    ["a user in the host", "MALFORMED_TARGET", (host) => `/user@${host}/a`],
    ["an encoded slash in the host", "MALFORMED_TARGET", (host) => `/${host}%2Fa/b`],
    ["an encoded dot segment", "MALFORMED_TARGET", (host) => `/${host}/a/%2e%2e%2fb`],
    ["no host", "MALFORMED_TARGET", () => "//a"],
    ["a host with a dot at its end", "MALFORMED_TARGET", () => "/api.example./a"],
    ["no path at all", "MALFORMED_TARGET", () => "/"],
    ["the port 0", "MALFORMED_TARGET", () => "/api.example:0/a"],
    ["a host for which no item is", "ITEM_NOT_FOUND", () => "/other.example/a"],
    ["a host with an underscore, for which no item is", "ITEM_NOT_FOUND", () => "/my_api.example/a"],
    ["another port than that of the item", "ITEM_NOT_FOUND", () => "/api.example/a"],
  ])("%s: %s", async (_, reason, path) => {
    const broker = await startBroker();
    await expectRefused(broker, broker.send(path(broker.host)), reason);
  });

  it.each<[token: string, reason: string, claims: Record<string, unknown>]>([
    ["for another audience", "TOKEN_FOREIGN", { aud: "x" }],
    ["that has expired", "TOKEN_EXPIRED", { exp: 1 }],
    ["of another person", "USE_NOT_APPROVED", { sub: "eve" }],
    ["of another tenant", "USE_NOT_APPROVED", { tenant_id: "evil" }],
    ["without the scope", "INSUFFICIENT_SCOPE", { scope: "a" }],
    ["without bounds", "USE_NOT_APPROVED", { authorization_details: [] }],
    ["that is bound to a key, as Bearer", "SCHEME_WRONG", { cnf: { jkt: "x" } }],
    ["for reading only", "USE_NOT_APPROVED", bounds({ actions: ["read"] })],
    ["for another vault", "ITEM_NOT_FOUND", bounds({ vaults: ["v-2"] })],
    ["for another host", "USE_NOT_APPROVED", bounds({ hosts: ["other.example"] })],
  ])("a token %s: %s", async (_, reason, claims) => {
    const broker = await startBroker();
    await expectRefused(broker, broker.send(undefined, await withToken(claims)), reason);
  });

  it.each<[item: string, reason: string, fields: (port: number) => Record<string, string>]>([
    ["for a private address", "HOST_NOT_ALLOWED", () => ({ host: "169.254.169.254" })],
    ["for the name of this machine, without the flag", "HOST_NOT_ALLOWED", (port) => ({ host: `localhost:${port}` })],
    ["for this machine, without the flag", "HOST_NOT_ALLOWED", () => ({ host: "[::1]:9" })],
    [
      "whose host has a certificate of another name",
      "UPSTREAM_UNREACHABLE",
      (port) => ({ host: `false.example:${port}` }),
    ],
    ["without a use", "ITEM_NOT_FOUND", () => ({ use_as: "none" })],
    ["whose secret has a line break", "ITEM_NOT_USABLE", () => ({ key: "a\r\nHost: evil" })],
  ])("an item %s: %s", async (_, reason, changes) => {
    const broker = await startBroker();
    const fields = { key: secret, host: broker.host, ...changes(broker.upstream.port) };
    broker.vault.put("i-1", { kind: "api_key", title: "", fields });
    await expectRefused(broker, broker.send(`/${fields.host}/path`), reason);
  });

  const resolvingTo = (...addresses: string[]): BrokerSetUp => ({
    resolve: async () => addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
  });
  const sendBytes = ({ send }: Broker, size: number) => send(undefined, { method: "POST", body: Buffer.alloc(size) });
  /** Sends a body in which a secret takes the place of each placeholder. */
  const sendPlaceholders = ({ send, vault, host }: Broker, count: number, secretSize: number) => {
    const fields = { password: "x".repeat(secretSize), website: host, use_as: "placeholders" };
    vault.put("i-1", { kind: "login", title: "", fields });
    const headers = { "content-type": "application/json" };
    return send(undefined, { method: "POST", headers, body: JSON.stringify("{{password}}".repeat(count)) });
  };
  const little = { mostHeld: 1_000 };
  it.each<[attack: string, reason: string, send: (broker: Broker) => Sent, set?: BrokerSetUp]>([
    ["no token", "TOKEN_MISSING", ({ send }) => send(undefined, { headers: { authorization: "Basic YTpi" } })],
    ["a private address", "HOST_NOT_ALLOWED", ({ send }) => send(), resolvingTo("169.254.169.254")],
    ["a public and a private address", "HOST_NOT_ALLOWED", ({ send }) => send(), resolvingTo("1.1.1.1", "::1")],
    [
      "a host of which no name server says the address",
      "UPSTREAM_UNREACHABLE",
      ({ send }) => send(),
      { resolve: () => Promise.reject(new ResolveError("HOST_NOT_RESOLVED", "ESERVFAIL")) },
    ],
    ["a certificate that nobody trusts", "UPSTREAM_UNREACHABLE", ({ send }) => send(), { ca: undefined }],
    ["a body over 16 MiB", "BODY_TOO_LARGE", (broker) => sendBytes(broker, 16 * 1024 * 1024 + 1)],
    ["a small body that becomes too large", "BODY_TOO_LARGE", (broker) => sendPlaceholders(broker, 10_000, 4_000)],
    ["a body larger than what all may hold", "TOO_MANY_CALLS", (broker) => sendBytes(broker, 1_001), little],
    ["one that becomes larger than that", "TOO_MANY_CALLS", (broker) => sendPlaceholders(broker, 1, 1_000), little],
    [
      "a locked vault",
      "LOCKED",
      ({ send, lock }) => {
        lock.unlocked = undefined;
        return send();
      },
    ],
    [
      "an unlock whose time is over",
      "LOCKED",
      ({ send, lock }) => {
        if (lock.unlocked) lock.unlocked = { ...lock.unlocked, expiresAt: new Date(0) };
        return send();
      },
    ],
    [
      "placeholders for an item that does not allow them",
      "ITEM_NOT_FOUND",
      ({ send, vault, host }) => {
        vault.put("i-1", { kind: "secure_note", title: "", fields: { password: secret, website: host } });
        return send(undefined, { headers: { a: "{{password}}" } });
      },
    ],
    [
      "two items, of which none is named",
      "ITEM_AMBIGUOUS",
      ({ send, vault, host }) => {
        vault.put("i-2", { kind: "api_key", title: "Second", fields: { key: "other-secret", host } });
        return send();
      },
    ],
  ])("%s: %s", async (_, reason, attack, set) => {
    const broker = await startBroker(set);
    await expectRefused(broker, attack(broker), reason);
  });

  it.each([
    ["that the person has not approved", "other.example", 403],
    ["in another spelling", "0x7f000001", 400],
  ])("a host %s is refused before the body has arrived", async (_, host, status) => {
    const { url, upstream, counter } = await startBroker();
    const { headers } = await withToken(bounds({ actions: ["use"], hosts: ["api.example"] }));
    const request = requestHttp(`${url}/${host}/a`, { method: "POST", headers });
    request.on("error", () => {}).write("the first part");
    const [{ statusCode }] = await once(request, "response");
    request.end();
    expect([statusCode, upstream.received.length, counter.counted.size]).toEqual([status, 0, 0]);
  });

  it("a proof that was replayed, or made for another host", async () => {
    const { send, upstream, url, host } = await startBroker();
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = publicKey.export({ format: "jwk" });
    const token = await tokenOf({ cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const ath = hash("sha256", token, "base64url");
    const prove = (htu: string) =>
      new SignJWT({ jti: randomUUID(), htm: "GET", htu, iat: Math.floor(Date.now() / 1000), ath })
        .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk })
        .sign(privateKey);
    const sendWith = (DPoP: string) => send(undefined, { headers: { authorization: `DPoP ${token}`, DPoP } });
    const proof = await prove(`${url}/${host}/path`);
    expect(await sendWith(proof)).toMatchObject({ status: 200 });
    expect(await sendWith(proof)).toMatchObject({ status: 401, reason: "PROOF_REPLAYED" });
    expect(await sendWith(await prove(`${url}/other.example/path`))).toMatchObject({ status: 401 });
    expect(upstream.received).toHaveLength(1);
  });

  it("an item that was deleted since it was opened", async () => {
    const { send, vault, upstream, counter, host } = await startBroker();
    await send();
    vault.put("i-1", { kind: "api_key", title: "", fields: { key: secret, host } }, true);
    expect(await send()).toMatchObject({ reason: "ITEM_NOT_FOUND", status: 404 });
    expect([upstream.received.length, counter.counted.size]).toEqual([1, 1]);
  });

  it("an item whose host has changed while the upstream was connected", async () => {
    const { send, vault, upstream, counter } = await startBroker();
    counter.before = async () => {
      counter.before = async () => {};
      vault.put("i-1", { kind: "api_key", title: "", fields: { key: secret, host: "moved.example" } });
    };
    expect(await send()).toMatchObject({ reason: "ITEM_NOT_FOUND" });
    expect([upstream.received.length, counter.counted.size]).toEqual([0, 0]);
  });

  it("a second request with the header Host of another upstream", async () => {
    const { send, upstream, host } = await startBroker();
    await send(undefined, { headers: { Host: "evil.example", "X-Forwarded-Host": "evil.example" } });
    expect(upstream.received[0]?.headers.host).toBe(host);
  });
});

it("an error names no secret, no token and no part of the request", async () => {
  const { send, host, token } = await startBroker();
  const { text, headers } = await send(`/${host}/path`, {
    method: "POST",
    headers: { "platform-item": "none" },
    body: "b0dy",
  });
  expect(JSON.parse(text)).toMatchObject({
    code: "not_found",
    details: [{ type: "google.rpc.ErrorInfo", debug: { reason: "ITEM_NOT_FOUND", domain: "platform.v1" } }],
  });
  for (const part of [secret, token, "b0dy"]) expect(text + [...headers]).not.toContain(part);
});

it("several items for a host are told apart by the header Platform-Item, with an id or a title", async () => {
  const { send, vault, host, upstream } = await startBroker();
  vault.put("i-2", { kind: "api_key", title: "B\u00fcro \u2615", fields: { key: "other-secret", host } });
  expect((await send()).text).toMatch(/Example \(i-1\), B\u00fcro \u2615 \(i-2\)/);
  const inUtf8 = Buffer.from("B\u00fcro \u2615").toString("latin1");
  for (const item of [inUtf8, "i-1"]) await send(undefined, { headers: { "Platform-Item": item } });
  expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer other-secret",
    `Bearer ${secret}`,
  ]);
});

it("a vault that the person has lost leaves the items of the others", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { send, lost, host } = await startBroker();
  const everywhere = { authorization: `Bearer ${await tokenOf({ authorization_details: [{ type: "vault" }] })}` };
  lost.add("v-2");
  expect(await send(`/${host}/`, { headers: everywhere })).toMatchObject({ status: 200 });
  lost.add("v-1");
  vi.advanceTimersByTime(6_000);
  expect(await send(`/${host}/`, { headers: everywhere })).toMatchObject({ status: 404, reason: "ITEM_NOT_FOUND" });
});

it("a response of the listener itself names its reason in the header Platform-Reason, too", async () => {
  const { url } = await startBroker();
  const socket = createConnection(Number(new URL(url).port)).end("GET / HTTP/1.1\r\n\r\n");
  expect(await readText(socket)).toContain("\r\nPlatform-Reason: MALFORMED_HTTP\r\n");
});

it("a connection on which a body was too large serves the next request", async () => {
  const { url, host, token } = await startBroker();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const post = async (size: number) => {
    const request = requestHttp(`${url}/${host}/`, {
      agent,
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    const answered = once(request, "response");
    request.end(Buffer.alloc(size));
    const [response] = await answered;
    await readText(response);
    return response.statusCode;
  };
  expect([await post(16 * 1024 * 1024 + 250_000), await post(1)]).toEqual([413, 200]);
});

it("the head of a stream is given back before its first part, and may be as large as that of a request", async () => {
  const { url, host, token, upstream } = await startBroker();
  let end = () => {};
  upstream.answer = (response) => {
    response.writeHead(200, { "X-Large": "x".repeat(40_000) }).flushHeaders();
    end = () => response.end("a");
  };
  const headers = { authorization: `Bearer ${token}` };
  const request = requestHttp(`${url}/${host}/`, { headers, maxHeaderSize: 65_536 }).end();
  const [response] = await once(request, "response");
  expect(response.headers["x-large"]).toHaveLength(40_000);
  end();
  expect(await readText(response)).toBe("a");
});

describe("the budget", () => {
  it("of 10 uses: of 64 requests at once, 10 arrive, and the others are refused", async () => {
    const { send, upstream, counter } = await startBroker({ budget: 10 });
    const answers = await Promise.all(Array.from({ length: 64 }, () => send()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ reason }) => reason === "DELEGATION_EXHAUSTED")).toHaveLength(54);
    expect([upstream.received.length, counter.counted.size]).toEqual([10, 10]);
  });

  it.each<[what: string, reason: string, after: (broker: Broker) => Promise<void>]>([
    [
      "that the platform may have counted, and not answered,",
      "INTERNAL",
      () => Promise.reject(new TypeError("failed")),
    ],
    [
      "whose vault was locked while it was counted",
      "LOCKED",
      async ({ lock }) => void Object.assign(lock, { unlocked: undefined }),
    ],
  ])("a request %s is not sent, and reported", async (_, reason, after) => {
    const broker = await startBroker();
    broker.counter.after = () => after(broker);
    expect(await broker.send()).toMatchObject({ reason });
    expect(broker.upstream.received).toEqual([]);
    expect(broker.counter.reports).toEqual([[expect.any(String), "not_sent"]]);
  });

  it("a request whose upstream leaves while it is marked as sent is not sent, and reported", async () => {
    const { send, upstream, upstreams, counter, journal } = await startBroker();
    const open = vi.spyOn(upstreams, "open");
    const mark = journal.sending;
    vi.spyOn(journal, "sending").mockImplementation(async (useId) => {
      await mark(useId);
      upstream.server.closeAllConnections();
      const opened = await open.mock.results[0]?.value;
      await vi.waitFor(() => expect(() => opened.check()).toThrow(), 60_000);
    });
    expect(await send()).toMatchObject({ status: 502, reason: "UPSTREAM_UNREACHABLE" });
    expect([upstream.received, counter.counted.size]).toEqual([[], 1]);
    expect(counter.reports).toEqual([[expect.any(String), "not_sent"]]);
  });

  it("a report that fails is repeated until the platform has it, once", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { send, counter, lock, journalPath } = await startBroker();
    const { report } = counter;
    const failing = vi.fn<typeof report>(() => Promise.reject(new TypeError("fetch failed")));
    counter.report = failing;
    counter.after = async () => {
      lock.unlocked = undefined;
    };
    expect(await send()).toMatchObject({ reason: "LOCKED" });
    vi.advanceTimersByTime(30_000);
    await expect.poll(() => failing.mock.calls).toHaveLength(2);
    counter.report = report;
    vi.advanceTimersByTime(60_000);
    await expect.poll(() => counter.reports).toEqual([[expect.any(String), "not_sent"]]);
    await expect.poll(() => readFile(journalPath, "utf8")).toMatch(/^not_sent /m);
    vi.advanceTimersByTime(60_000);
    expect([counter.reports.length, failing.mock.calls.length]).toEqual([1, 2]);
  });

  it("a request is repeated with its Idempotency-Key only if it was counted and not sent", async () => {
    const { send, upstream, counter } = await startBroker();
    const init = { headers: { "Idempotency-Key": "k-1" } };
    counter.after = () => Promise.reject(new TypeError("fetch failed"));
    await send(undefined, init);
    counter.after = async () => {};
    expect((await send(undefined, init)).status).toBe(200);
    expect(await send(undefined, init)).toMatchObject({ status: 409, reason: "ALREADY_USED" });
    expect((await send(undefined, { headers: { "Idempotency-Key": "k-2" } })).status).toBe(200);
    expect(upstream.received).toHaveLength(2);
  });

  it("of two requests at once with an Idempotency-Key, one is sent", async () => {
    const { send, upstream } = await startBroker();
    const init = { headers: { "Idempotency-Key": "k-1" } };
    const answers = await Promise.all([send(undefined, init), send(undefined, init)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(upstream.received).toHaveLength(1);
  });
});

describe("a broken upstream", () => {
  it.each([
    "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 1000 High\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 two OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1\r\n\r\n",
    "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    "an answer in no protocol\r\n",
    "",
  ])("that answers %j has no valid answer, and may have carried the request out", async (head) => {
    const { send, upstream, counter, failures } = await startBroker();
    upstream.answer = ({ socket }) => socket?.end(head);
    expect(await send()).toMatchObject({ status: 502, reason: "UPSTREAM_FAILED" });
    expect([counter.reports, failures]).toEqual([[[expect.any(String), "unknown"]], []]);
  });

  it("that never answers ends at the deadline, and may have been sent", async () => {
    const { send, upstream, counter } = await startBroker({ silenceMs: 50 });
    upstream.answer = () => {};
    expect(await send()).toMatchObject({ status: 504, reason: "UPSTREAM_TIMEOUT" });
    expect(counter.reports).toEqual([[expect.any(String), "unknown"]]);
  });

  it("that closes early ends the answer as an error", async () => {
    const { send, upstream } = await startBroker();
    upstream.answer = (response) => {
      response.writeHead(200, { "Content-Length": "100" }).write("part");
      setImmediate(() => response.destroy());
    };
    await expect(send()).rejects.toThrow();
  });

  it("that answers 1 GB is read only as fast as the agent reads", async () => {
    const { url, host, token, upstream } = await startBroker();
    let written = 0;
    upstream.answer = (response) => {
      const block = Buffer.alloc(1024 * 1024, "x");
      const more = () => {
        while (written < 1024 && !response.destroyed) {
          written += 1;
          if (!response.write(block)) {
            response.once("drain", more);
            return;
          }
        }
        response.end();
      };
      more();
    };
    const response = await fetch(`${url}/${host}/`, { headers: { authorization: `Bearer ${token}` } });
    const reader = response.body?.getReader();
    await reader?.read();
    await expect.poll(() => written).toBeGreaterThan(2);
    await new Promise((done) => setTimeout(done, 100));
    expect(written).toBeLessThan(64);
    await reader?.cancel();
  });

  it("of one agent leaves room for another agent", async () => {
    const { send, upstream, host } = await startBroker();
    upstream.answer = (response, { url }) => {
      if (url !== "/hangs") response.end("done");
    };
    const hanging = Array.from({ length: 64 }, () => send(`/${host}/hangs`).catch(() => undefined));
    await expect.poll(() => upstream.received).toHaveLength(64);
    expect(await send()).toMatchObject({ status: 429, reason: "TOO_MANY_CALLS" });
    const other = { headers: { authorization: `Bearer ${await tokenOf({ grant_id: "g-2", jti: "t-2" })}` } };
    expect((await send(undefined, other)).status).toBe(200);
    upstream.server.closeAllConnections();
    await Promise.all(hanging);
  });
});
