import { execFileSync } from "node:child_process";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ownCall } from "../../../own-call.js";
import { inMemoryPlatform } from "../../../testing/in-memory-platform.js";
import { createClientDocuments, documentedClientId } from "./client-documents.js";
import { type FetchedDocument, fetchDocument, isClientUrl } from "./fetch-document.js";
import { isPublicAddress } from "./public-address.js";

describe("a public address", () => {
  it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "192.167.1.1", "2606:4700::1111"])("%s is one", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...[
      "0.0.0.0",
      "10.1.2.3",
      "100.64.0.1",
      "127.0.0.1",
      "127.255.1.1",
      "169.254.169.254",
      "172.16.0.1",
      "172.31.255.1",
    ],
    ...["192.168.1.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1"],
    ...["::ffff:8.8.8.8", "64:ff9b::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1"],
    ...["2002:7f00:1::", "2001::1", "", "localhost", "1.1.1", "0x7f.1"],
  ])("%j is none", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("the URL of a client", () => {
  it("is https with a host name and a path", () => {
    expect(isClientUrl("https://app.example/client.json")).toBe(true);
  });

  it.each([
    ...["http://app.example/c", "https://app.example", "https://app.example/", "https://app.example:8443/c"],
    ...[
      "https://127.0.0.1/c",
      "https://[::1]/c",
      "https://2130706433/c",
      "https://localhost/c",
      "https://app.example./c",
    ],
    ...[
      "https://u:p@app.example/c",
      "https://app.example/c?x",
      "https://app.example/c#x",
      "https://app.example/a/../c",
    ],
    ...["https://APP.example/c", `https://app.example/${"c".repeat(512)}`, "javascript:alert(1)", "agent", ""],
  ])("%s is none", (url) => {
    expect(isClientUrl(url)).toBe(false);
  });
});

describe("fetching a document", () => {
  const url = "https://app.example/client.json";
  let server: Server;
  let ca: string;
  let asked = 0;
  let answer: { status: number; headers: Record<string, string>; body: string };
  beforeAll(async () => {
    const subject = ["-subj", "/CN=app.example", "-addext", "subjectAltName=DNS:app.example"];
    const pem = execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "1",
        "-keyout",
        "-",
        ...subject,
      ],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    );
    ca = pem.slice(pem.indexOf("-----BEGIN CERTIFICATE-----"));
    server = createServer({ key: pem, cert: ca }, (_, response) => {
      asked += 1;
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => server.close());
  const loopback = async () => [{ address: "127.0.0.1", family: 4 }];
  const portOf = (address: AddressInfo | string | null) =>
    typeof address === "object" && address !== null ? address.port : 0;
  const get = () =>
    fetchDocument(url, { resolve: loopback, isAllowed: () => true, ca, port: portOf(server.address()) });
  const json = { "Content-Type": "application/json", "Cache-Control": "max-age=60" };

  it("returns the text and its Cache-Control, from the address that was checked", async () => {
    answer = { status: 200, headers: json, body: "{}" };
    expect(await get()).toEqual({ text: "{}", cacheControl: "max-age=60" });
  });

  it.each([
    ["a redirect", { status: 302, headers: { ...json, Location: "https://app.example/x" }, body: "{}" }],
    ["an error", { status: 404, headers: json, body: "{}" }],
    ["HTML", { status: 200, headers: { "Content-Type": "text/html" }, body: "{}" }],
    ["11 kB", { status: 200, headers: json, body: "x".repeat(11_000) }],
  ])("rejects %s", async (_, given) => {
    answer = given;
    await expect(get()).rejects.toThrow(TypeError);
  });

  it.each([
    [["127.0.0.1"], "a private address"],
    [["1.1.1.1", "10.0.0.1"], "one private address among public ones"],
    [[], "no address"],
  ])("does not connect to a host with %j: %s", async (addresses) => {
    const before = asked;
    const resolve = async () => addresses.map((address) => ({ address, family: 4 }));
    await expect(fetchDocument(url, { resolve, ca, port: portOf(server.address()) })).rejects.toThrow("not public");
    expect(asked).toBe(before);
  });
});

describe("registration by a document", () => {
  const url = "https://app.example/client.json";
  const document = { client_id: url, client_name: "Agent" };
  const setUp = async (json: unknown, cacheControl = "") => {
    const platform = await inMemoryPlatform();
    onTestFinished(platform.close);
    let fetched = 0;
    const fetch = async (): Promise<FetchedDocument> => {
      fetched += 1;
      return { text: typeof json === "string" ? json : JSON.stringify(json), cacheControl };
    };
    const register = createClientDocuments({ ...platform, tenantId: "acme" }, fetch);
    const ref = { tenantId: "acme", oauthClientId: documentedClientId(url) };
    return {
      ...platform,
      ref,
      fetched: () => fetched,
      client: () => platform.own.getOauthClient(ref),
      register: () => register(url, ownCall("test", platform.secrets)),
    };
  };

  it("creates a client whose name begins with the host, and which may call the public operations", async () => {
    const site = await setUp(document);
    await site.register();
    expect(await site.client()).toMatchObject({
      name: "app.example: Agent",
      enabled: true,
      allowedOperations: expect.arrayContaining(["platform.v1.VaultService/DeleteItem"]),
    });
  });

  it("fetches a document once for as long as it may be kept", async () => {
    const site = await setUp(document, "public, max-age=600");
    await site.register();
    await site.register();
    expect(site.fetched()).toBe(1);
  });

  it("does not enable a client that an administrator disabled", async () => {
    const site = await setUp(document);
    const client = { ...site.ref, name: "x", allowedOperations: [], enabled: false };
    await site.own.setOauthClient(client, ownCall("test", site.secrets));
    await site.register();
    expect(await site.client()).toMatchObject({ name: "x", enabled: false });
  });

  it.each([
    ["disables", { enabled: false }],
    ["narrows the allowlist of", { allowedOperations: [] }],
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
    const fetch = async () => ({ text: JSON.stringify(document), cacheControl: "" });
    await createClientDocuments({ ...site, own, tenantId: "acme" }, fetch)(url, call);
    const { enabled, allowedOperations } = set;
    expect(await site.client()).toMatchObject({ enabled, allowedOperations });
  });

  it.each([
    ["of another URL", { ...document, client_id: "https://evil.example/client.json" }],
    ["without a name", { client_id: url }],
    ["with a name that changes the direction of text", { ...document, client_name: "\u202eAgent" }],
    ["with a secret", { ...document, client_secret: "x" }],
    ["that authenticates", { ...document, token_endpoint_auth_method: "private_key_jwt" }],
    ["without the device grant", { ...document, grant_types: ["authorization_code"] }],
    ["that is not JSON", "{"],
  ])("a document %s registers nobody", async (_, json) => {
    const site = await setUp(json);
    await site.register();
    expect(await site.client()).toBeUndefined();
  });
});
