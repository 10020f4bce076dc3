import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createLocalCaller } from "../sign-in/local-caller.js";
import { createLogin } from "../sign-in/login.js";
import { createFakeVault } from "../testing/fake-vault.js";
import { revisions } from "../testing/start-server.js";
import { createMcpServerFactory } from "../tools/create-mcp-server.js";
import { createHttpHandler } from "./http-handler.js";
import { readSecret, secretFile } from "./http-secret.js";
import { listen } from "./listen.js";

const secret = "s".repeat(43);

function setUp() {
  const vault = createFakeVault();
  const session = { scopes: async () => ["vault.items:delete", "vault.items:read"] };
  const login = createLogin(() => Promise.reject(new Error("not expected")));
  const platform = { apiUrl: "https://api.example", session, login, clients: vault.clients };
  const caller = createLocalCaller({ connect: async () => platform, approvalWait: async () => undefined });
  const factory = createMcpServerFactory({ callerOf: () => caller, stateKey: new Uint8Array(32) });
  return { vault, handler: createHttpHandler(factory, secret) };
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe.each(revisions)("over streamable HTTP, with revision %s of the protocol", (revision) => {
  it("the person is asked for consent", async () => {
    const { vault, handler } = setUp();
    const { listener, url } = await listen(handler, 0);
    const client = new Client(
      { name: "scripted", version: "1.0.0" },
      {
        capabilities: { elicitation: { form: {}, url: {} } },
        versionNegotiation: { mode: revision === "legacy" ? "legacy" : { pin: revision } },
      },
    );
    onTestFinished(async () => {
      await client.close();
      await listener.close(0);
    });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { delete: true } }));
    const requestInit = { headers: { Authorization: `Bearer ${secret}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    vault.put("i-1", { version: 3 });
    const result = await client.callTool({ name: "delete_item", arguments: { item: "i-1", version: 3 } });
    expect(result.structuredContent).toMatchObject({ outcome: "deleted", version: 4 });
  });
});

describe("the listener", () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  let handler: ReturnType<typeof createHttpHandler>;
  beforeAll(() => {
    handler = setUp().handler;
  });

  it.each([
    ["a Host of another machine, as after DNS rebinding", { Host: "evil.example" }, 403],
    ["an Origin of another machine", { Origin: "https://evil.example" }, 403],
    ["the Origin null", { Origin: "null" }, 403],
    ["no secret", { Authorization: "" }, 401],
    ["a wrong secret", { Authorization: `Bearer ${"t".repeat(43)}` }, 401],
    ["a part of the secret", { Authorization: "Bearer s" }, 401],
    ["another scheme", { Authorization: `Basic ${secret}` }, 401],
  ])("rejects %s", async (_, headers, status) => {
    const all = {
      Host: "127.0.0.1:80",
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      ...headers,
    };
    const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers: all, body });
    const response = await handler(request);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain(secret);
  });

  it.each([
    ["another path", "/", {}, 404],
    ["a session that does not exist", "/mcp", { "Mcp-Session-Id": "x" }, 404],
    ["a request without a session", "/mcp", {}, 400],
  ])("answers %s with an error", async (_, path, headers, status) => {
    const all = {
      Host: "localhost",
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    };
    const request = new Request(`http://localhost${path}`, { method: "POST", headers: all, body });
    expect((await handler(request)).status).toBe(status);
  });

  it("listens only on the loopback address", async () => {
    const { listener, url } = await listen(handler, 0);
    onTestFinished(() => listener.close());
    const port = Number(new URL(url).port);
    const connect = (host: string) => once(createConnection({ host, port }), "connect");
    await connect("127.0.0.1");
    // Linux routes the whole of 127.0.0.0/8 to this machine.
    await expect(connect("127.0.0.2")).rejects.toThrow("ECONNREFUSED");
  });

  it("rejects a request with two Host headers, like every listener", async () => {
    const { listener, url } = await listen(handler, 0);
    onTestFinished(() => listener.close());
    const socket = createConnection(Number(new URL(url).port), "127.0.0.1");
    socket.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("reports a port that is in use", async () => {
    const { listener, url } = await listen(handler, 0);
    onTestFinished(() => listener.close());
    const port = Number(new URL(url).port);
    await expect(listen(handler, port)).rejects.toThrow(
      `Port ${port} of 127.0.0.1 cannot be used (EADDRINUSE). Choose another with --http.`,
    );
  });
});

describe("the secret", () => {
  it("is created once, in a file that only its owner can read", async () => {
    const folder = join(await temporaryFolder(), "platform");
    const created = await readSecret(folder);
    expect(created).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await readSecret(folder)).toBe(created);
    expect((await stat(secretFile(folder))).mode & 0o777).toBe(0o600);
  });

  it("is never shorter than 32 characters", async () => {
    const folder = await temporaryFolder();
    await writeFile(secretFile(folder), "short\n");
    await expect(readSecret(folder)).rejects.toThrow("contains no secret. Delete it, then start again.");
  });
});
