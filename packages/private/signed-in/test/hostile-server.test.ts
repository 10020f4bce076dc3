import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { createMemorySessionStore } from "@platform-rpc/client/session";
import { describe, expect, it, onTestFinished } from "vitest";
import { findIssuer } from "../src/discovery.js";
import { createSession } from "../src/session.js";
import { createClients, itemsOf, summaryOf } from "../src/vaults.js";

type Reply = object | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };

/** Starts a server that answers each request. Returns its URL and the paths that were requested. */
async function start(answer: (path: string, body: string, url: string) => Reply) {
  const paths: string[] = [];
  const respond = async (request: IncomingMessage) => {
    paths.push(request.url ?? "");
    const reply = answer(request.url ?? "", await text(request), url);
    return "body" in reply ? reply : { status: 200, body: JSON.stringify(reply) };
  };
  const server = createServer(async (request, response) => {
    const { status, body, ...more } = await respond(request);
    const { headers = {} }: { headers?: Record<string, string> } = more;
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);
  }).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  return { url, paths };
}

/** Returns the clients of a signed-in person at a server. */
async function clientsAt(url: string) {
  const store = createMemorySessionStore();
  const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  await store.save({
    issuer: url,
    resource: url,
    clientId: "program",
    scopes: ["vault.items:read"],
    keyPair,
    accessToken: "access-1",
    refreshToken: "refresh-1",
    expiresAt: new Date(Date.now() + 900_000).toISOString(),
  });
  const session = createSession({ issuer: url, resource: url, clientId: "program", store });
  return createClients({ apiUrl: url, issuer: url }, session);
}

const { signal } = new AbortController();

describe("a list that never ends", () => {
  it("of items, whose position does not advance, ends with an error", async () => {
    const item = { vaultId: "v-1", itemId: "i-1" };
    const page = { changes: [{ sequence: 1, item }], cursor: { sequence: 0 }, hasMore: true };
    const { url, paths } = await start(() => page);
    const clients = await clientsAt(url);
    const read = async () => {
      for await (const _ of itemsOf(clients, { vaultId: "v-1" }, signal));
    };
    await expect(read()).rejects.toThrow("it sent the same position twice");
    expect(paths.length).toBeLessThan(3);
  });
});

describe("controls and marks of direction of a server are escaped", () => {
  const hostile = "a\u001b[2J\n\u202e\u2066\u200f";
  const escaped = "a\\u001b[2J\\u000a\\u202e\\u2066\\u200f";

  it("in what is shown of an item", async () => {
    const item = { vaultId: hostile, itemId: hostile, kind: hostile, version: 1 };
    const { url } = await start(() => ({ changes: [{ sequence: 1, item }], cursor: { sequence: 1 }, hasMore: false }));
    for await (const change of itemsOf(await clientsAt(url), { vaultId: "v-1" }, signal)) {
      expect(summaryOf(change.item)).toMatchObject({ vaultId: escaped, itemId: escaped, kind: escaped });
    }
    expect.assertions(1);
  });
});

describe("RFC 9728: the metadata of an API", () => {
  it("names its authorization server, also with a path and a slash at the end of its resource", async () => {
    const { url, paths } = await start((_path, _body, url) => ({
      resource: `${url}/base/`,
      authorization_servers: ["https://accounts.example", "https://other.example"],
    }));
    expect(await findIssuer(`${url}/base`)).toBe("https://accounts.example");
    expect(paths).toEqual(["/.well-known/oauth-protected-resource/base"]);
  });

  it("is not that which a redirect names", async () => {
    const victim = await start((_path, _body, url) => ({ resource: url, authorization_servers: [url] }));
    const { url } = await start((path) => ({ status: 302, headers: { Location: victim.url + path }, body: "" }));
    await expect(findIssuer(url)).rejects.toThrow("does not name an authorization server (HTTP 302).");
    expect(victim.paths).toEqual([]);
  });

  it("is not read beyond 64 KiB", async () => {
    const { url } = await start((_path, _body, url) => ({
      resource: url,
      authorization_servers: ["https://accounts.example"],
      padding: "x".repeat(70_000),
    }));
    await expect(findIssuer(url)).rejects.toThrow("does not name an authorization server (HTTP 200).");
  });
});
