import type { ServerResponse } from "node:http";
import { isPublicAddress } from "@platform-rpc/front/resolve-host";
import { type OauthClient, publicOperations } from "@platform-rpc/server/host";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { createClientDocuments, documentedClientId } from "../../src/oauth-clients/client-documents.js";
import { DocumentError } from "../../src/oauth-clients/document-error.js";
import {
  type FetchDocumentOptions,
  type FetchedDocument,
  fetchDocument,
  isClientUrl,
} from "../../src/oauth-clients/fetch-document.js";
import { inMemoryPlatform } from "../../src/testing/in-memory-platform.js";
import { startDocumentServer } from "./testing/document-server.js";
import { startNameServer } from "./testing/name-server.js";

describe("an address", () => {
  it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "192.167.1.1", "2606:4700::1111"])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.1"],
    ...["192.168.1.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1"],
    ...["::ffff:8.8.8.8", "64:ff9b::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1"],
    ...["2002:7f00:1::", "2001::1", "", "localhost", "1.1.1", "0x7f.1"],
  ])("%j is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("the URL of a client", () => {
  it.each(["", ":8443", ":443"])("is https with a host name, a path, and perhaps a query and the port %j", (port) => {
    expect(isClientUrl(`https://app.example${port}/client.json`)).toBe(true);
    expect(isClientUrl(`https://app.example${port}/client?v=1&x=%2e%2e/`)).toBe(true);
  });

  it.each([
    ...["http://app.example/c", "https://app.example", "https://app.example/", "https://app.example/?x"],
    ...["https://127.0.0.1/c", "https://[::1]/c", "https://2130706433/c", "https://localhost:8443/c"],
    ...["https://127.0.0.1:8443/c", "https://app.example:0443/c", "https://a.example:99999/c"],
    ...[
      "https://u:p@app.example/c",
      "https://u:443/@app.example/c",
      "https://app.example/c?x#",
      "https://a.example./c",
    ],
    ...["https://app.example/a/../c", "https://app.example/a/%2e%2e/c", "https://app.example\\c"],
    ...["https://APP.example/c", `https://app.example/${"c".repeat(512)}`, "javascript:alert(1)", "agent", ""],
  ])("%s is rejected", (url) => {
    expect(isClientUrl(url)).toBe(false);
  });
});

describe("fetching a document", () => {
  const url = "https://app.example/client.json";
  const json = { "Content-Type": "application/json", "Cache-Control": "max-age=60" };
  let server: Awaited<ReturnType<typeof startDocumentServer>>;
  /** The limits of the tests are the events that they wait for, not a time: a busy machine needs more of it. */
  const { signal: timeLimit } = new AbortController();
  let asked = 0;
  let answer: (response: ServerResponse) => void;
  beforeAll(async () => {
    server = await startDocumentServer((_, response) => {
      asked += 1;
      answer(response);
    });
  });
  afterAll(() => server.close());

  /** Fetches the document of a host with these addresses. */
  const get = async (addresses: readonly string[], options: FetchDocumentOptions = server.trust) => {
    const { address } = await startNameServer(() => addresses);
    return fetchDocument(url, { timeLimit, ...options, nameServers: [address] });
  };

  it("returns the text and its Cache-Control, from the address that was checked", async () => {
    answer = (response) => response.writeHead(200, json).end("{}");
    expect(await get(["127.0.0.1"])).toEqual({ text: "{}", cacheControl: "max-age=60" });
  });

  it.each<[string, string[], object]>([
    ["is fetched from it, with a charset", ["127.0.0.1"], { text: "{}" }],
    ["is not fetched from a private address", ["10.0.0.1"], { problem: "PRIVATE_ADDRESS" }],
  ])("with a port and a query in its URL %s", async (_, addresses, result) => {
    answer = (response) => response.writeHead(200, { "Content-Type": "application/json;charset=UTF-8" }).end("{}");
    const { address } = await startNameServer(() => addresses);
    const { ca, port } = server.trust;
    const isAllowed = (found: string) => found === "127.0.0.1";
    const options = { ca, isAllowed, timeLimit, nameServers: [address] };
    const fetching = fetchDocument(`https://app.example:${port}/client?v=1`, options);
    expect(await fetching.catch((error: unknown) => error)).toMatchObject(result);
  });

  it.each<[string, number, Record<string, string>, string, Partial<DocumentError>]>([
    ["a redirect", 302, { Location: "https://app.example/x" }, "{}", { problem: "NOT_FOUND", detail: "status 302" }],
    ["HTML", 200, { "Content-Type": "text/html" }, "{}", { problem: "NOT_JSON" }],
    ["11 kB", 200, json, "x".repeat(11_000), { problem: "TOO_LONG" }],
  ])("rejects %s", async (_, status, headers, body, error) => {
    answer = (response) => response.writeHead(status, headers).end(body);
    await expect(get(["127.0.0.1"])).rejects.toMatchObject(error);
  });

  it.each([
    [["127.0.0.1"], "PRIVATE_ADDRESS", "a private address"],
    [["1.1.1.1", "10.0.0.1"], "PRIVATE_ADDRESS", "one private address among public ones"],
    [[], "HOST_NOT_FOUND", "no address"],
  ])("does not connect to a host with the addresses %j: %s", async (addresses, problem) => {
    const before = asked;
    const { ca, port } = server.trust;
    await expect(get(addresses, { ca, port })).rejects.toMatchObject({ problem });
    expect(asked).toBe(before);
  });

  it("callers do not learn whether a host is in a private network: its error reads like that of no host", () => {
    const { message } = new DocumentError("PRIVATE_ADDRESS", "10.11.12.13");
    expect(message).toBe(new DocumentError("HOST_NOT_FOUND").message);
    expect(message).toContain("does not exist, or is in a private network");
  });

  it("does not accept a certificate of another authority, or a closed port", async () => {
    answer = (response) => response.writeHead(200, json).end("{}");
    const { port, isAllowed } = server.trust;
    await expect(get(["127.0.0.1"], { port, isAllowed })).rejects.toMatchObject({ problem: "UNREACHABLE" });
    await expect(get(["127.0.0.1"], { port: 1, isAllowed })).rejects.toMatchObject({
      problem: "UNREACHABLE",
      detail: "ECONNREFUSED",
    });
  });

  it("ends at its time limit although the server has sent only a part", async () => {
    const limit = new AbortController();
    answer = (response) => {
      response.writeHead(200, json).write(" ");
      limit.abort();
    };
    const fetching = get(["127.0.0.1"], { ...server.trust, timeLimit: limit.signal });
    await expect(fetching).rejects.toMatchObject({ problem: "TIMED_OUT" });
  });

  it.each<[string, string, string]>([
    [
      "sends half a document",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
      "UNREACHABLE",
    ],
    ["sends no HTTP", "SSH-2.0-OpenSSH_9.0\r\n", "UNREACHABLE"],
    ["sends headers without end", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`, "UNREACHABLE"],
  ])("fails before its time limit if the server %s", async (_, bytes, problem) => {
    answer = ({ socket }) => void socket?.end(bytes);
    await expect(get(["127.0.0.1"])).rejects.toMatchObject({ problem });
  });

  it("uses the second name server while the first is silent", async () => {
    answer = (response) => response.writeHead(200, json).end("{}");
    const silent = await startNameServer(() => undefined);
    const other = await startNameServer(() => ["127.0.0.1"]);
    const nameServers = [silent.address, other.address];
    expect(await fetchDocument(url, { ...server.trust, timeLimit, nameServers })).toMatchObject({ text: "{}" });
    expect(silent.asked()).toContain("app.example");
  });
});

describe("registration by a document", () => {
  const url = "https://app.example/client.json";
  const document = { client_id: url, client_name: "Agent" };
  const network = "192.0.2.1";
  const registered = { unregistered: undefined, leftOut: [] };
  const logger = { info() {}, error() {} };
  const setUp = async (first: unknown, cacheControl = "") => {
    let json = first;
    const platform = await inMemoryPlatform();
    onTestFinished(platform.close);
    let fetched = 0;
    const read = async (): Promise<FetchedDocument> => {
      fetched += 1;
      if (json instanceof Error) throw json;
      return { text: typeof json === "string" ? json : JSON.stringify(json), cacheControl };
    };
    const lines: object[] = [];
    const log = { ...logger, info: (fields: object, message: string) => lines.push({ ...fields, message }) };
    const parts = { ...platform, tenantId: "acme", logger: log, fetchDocument: read };
    const register = createClientDocuments(parts);
    const ref = { tenantId: "acme", oauthClientId: documentedClientId(url) };
    return {
      ...platform,
      ref,
      fetchDocument: read,
      fetched: () => fetched,
      /** Changes the document after it was kept for as long as it may be. */
      change: (next: unknown) => {
        json = next;
        platform.pass(60_000);
      },
      client: () => platform.own.getOauthClient(ref),
      lines,
      register: () => register(url, { network, stores: "approved" }, ownCall("test", platform.secrets)),
    };
  };

  it("creates a client whose name begins with the host, and which may call the public operations and those that only read", async () => {
    const site = await setUp(document);
    await site.register();
    const client = await site.client();
    expect(client).toMatchObject({ name: "app.example: Agent", enabled: true });
    const reading = ["GetItem", "ListChanges", "ListEarlierContents", "ListVaults", "WatchVaults"].map(
      (name) => `platform.accounts.v1.MemberVaultService/${name}`,
    );
    expect([...(client?.allowedOperations ?? [])].sort()).toEqual([...reading, ...publicOperations.keys()].sort());
  });

  it.each<[string, object, Partial<OauthClient>]>([
    ["name", { client_name: "Other" }, { name: "app.example: Other" }],
    ["redirect URIs", { redirect_uris: ["http://127.0.0.1/b"] }, { redirectUris: ["http://127.0.0.1/b"] }],
    ["grants", { grant_types: ["authorization_code"] }, { grantTypes: ["authorization_code"] }],
    ["pushed requests", { require_pushed_authorization_requests: true }, { requirePushedAuthorizationRequests: true }],
  ])("changes the %s of a client with its document", async (_, fields, registered) => {
    const described = { ...document, redirect_uris: ["http://127.0.0.1/a"] };
    const site = await setUp(described);
    await site.register();
    site.change({ ...described, ...fields });
    await site.register();
    expect(await site.client()).toMatchObject(registered);
  });

  it("writes nothing for a document that has not changed", async () => {
    const site = await setUp({ ...document, redirect_uris: ["http://127.0.0.1/a"] });
    await site.register();
    const own = { ...site.own, registerOauthClient: () => Promise.reject(new Error("written")) };
    const { fetchDocument } = site;
    const register = createClientDocuments({ ...site, own, tenantId: "acme", logger, fetchDocument });
    expect(await register(url, { network, stores: "approved" }, ownCall("test", site.secrets))).toEqual(registered);
  });

  it("keeps the registration while the document is not valid", async () => {
    const site = await setUp({ ...document, redirect_uris: ["http://127.0.0.1/a"] });
    await site.register();
    site.change({ ...document, redirect_uris: ["http://app.example/a"] });
    expect(await site.register()).toMatchObject({ problem: "INVALID_METADATA" });
    expect(await site.client()).toMatchObject({ redirectUris: ["http://127.0.0.1/a"] });
  });

  it("fetches a document once for as long as it may be kept", async () => {
    const site = await setUp(document, "public, max-age=600");
    await site.register();
    await site.register();
    expect(site.fetched()).toBe(1);
  });

  it("does not enable a client that an administrator disabled", async () => {
    const site = await setUp({ ...document, redirect_uris: ["http://127.0.0.1/a"] });
    const client = { ...site.ref, name: "x", allowedOperations: [], enabled: false };
    await site.own.setOauthClient(client, ownCall("test", site.secrets));
    await site.register();
    expect(await site.client()).toMatchObject({ name: "x", enabled: false, redirectUris: [] });
  });

  it.each([
    ["disables", { enabled: false }],
    ["opens another operation to", { allowedOperations: ["platform.accounts.v1.MemberVaultService/PutItem"] }],
  ])("keeps what an administrator who %s the client sets while its new name is registered", async (_, change) => {
    const site = await setUp(document);
    const call = ownCall("test", site.secrets);
    const before = { ...site.ref, name: "before", allowedOperations: ["platform.v1.VaultService/DeleteItem"] };
    await site.own.setOauthClient({ ...before, enabled: true }, call);
    const set = { ...before, enabled: true, ...change };
    const own = {
      ...site.own,
      async getOauthClient(ref: typeof site.ref) {
        const found = await site.own.getOauthClient(ref);
        await site.own.setOauthClient(set, call);
        return found;
      },
    };
    const fetchDocument = async () => ({ text: JSON.stringify(document), cacheControl: "" });
    const register = createClientDocuments({ ...site, own, tenantId: "acme", logger, fetchDocument });
    await register(url, { network, stores: "approved" }, call);
    const { enabled, allowedOperations } = set;
    expect(await site.client()).toMatchObject({ enabled, allowedOperations });
  });

  it("fetches a document once for those who want it at the same time", async () => {
    const site = await setUp(document);
    expect(await Promise.all([site.register(), site.register()])).toEqual([registered, registered]);
    expect(site.fetched()).toBe(1);
  });

  it("keeps for a minute that a document cannot be read, and logs why", async () => {
    const site = await setUp(new DocumentError("PRIVATE_ADDRESS", "10.0.0.1"));
    for (const afterMs of [0, 59_999, 1]) {
      site.pass(afterMs);
      expect(await site.register()).toMatchObject({ problem: "PRIVATE_ADDRESS" });
    }
    expect(site.fetched()).toBe(2);
    expect(site.lines).toHaveLength(2);
    expect(site.lines[0]).toEqual({
      requestId: expect.any(String),
      oauthClientId: site.ref.oauthClientId,
      host: "app.example",
      problem: "PRIVATE_ADDRESS",
      detail: "10.0.0.1",
      message: "client metadata document not read",
    });
  });

  it("logs once what it leaves out of a document, and why", async () => {
    const site = await setUp({ ...document, redirect_uris: ["http://127.0.0.1/a", "javascript:leak()"] });
    await site.register();
    await site.register();
    const leftOut = [expect.stringMatching(/^redirect_uris\[1\] must be /)];
    const message = "client metadata document read in part";
    expect(site.lines).toEqual([expect.objectContaining({ host: "app.example", leftOut, message })]);
  });

  it.each([
    ["of another URL", { ...document, client_id: "https://evil.example/client.json" }, "WRONG_CLIENT_ID"],
    ["that is not valid", { ...document, grant_types: ["implicit"] }, "INVALID_METADATA"],
    ["that is not JSON", "{", "NOT_JSON"],
    ["that is null", "null", "NOT_JSON"],
  ])("a document %s registers nobody", async (_, json, problem) => {
    const site = await setUp(json);
    expect(await site.register()).toMatchObject({ problem });
    expect(await site.client()).toBeUndefined();
  });
});
