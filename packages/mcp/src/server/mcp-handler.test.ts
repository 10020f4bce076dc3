import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createFakeVault } from "../testing/fake-vault.js";
import { createMcpHandler, type TokenCaller } from "./mcp-handler.js";

const url = "https://mcp.example/mcp";
const revision = "2026-07-28";
const allScopes = ["vault.items:delete", "vault.items:read", "vault.items:restore"];
const stateKey = new Uint8Array(32).fill(1);
const options = { resourceMetadataUrl: "https://mcp.example/metadata" };

const metaOf = (capabilities: object) => ({
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientInfo": { name: "scripted", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

const answer = z.looseObject({
  result: z.looseObject({
    requestState: z.string().optional(),
    inputRequests: z.record(z.string(), z.unknown()).optional(),
    structuredContent: z.looseObject({}).optional(),
    isError: z.boolean().optional(),
    content: z.array(z.looseObject({ text: z.string() })).optional(),
  }),
});

/** A vault with an item, and callers of its tools. */
function setUp() {
  const vault = createFakeVault();
  vault.put("i-1", { version: 3 });
  const bugs: unknown[] = [];
  const caller: TokenCaller = {
    ...{ id: "ada agent", token: "token", scopes: allScopes, obtainableScopes: allScopes },
    transport: vault.transport,
  };
  /** Calls a tool through a new handler, as another process would. */
  const call = async (
    changes: Partial<TokenCaller>,
    params: ToolParams,
    { key = stateKey, capabilities = { elicitation: { form: {} } } }: CallOptions = {},
  ) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta: metaOf(capabilities) } };
    const request = new Request(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": revision,
        "Mcp-Method": "tools/call",
        "Mcp-Name": params.name,
      },
      body: JSON.stringify(body),
    });
    const onBug = (thrown: unknown) => void bugs.push(thrown);
    return createMcpHandler({ ...options, stateKey: key, onBug }).fetch(request, { ...caller, ...changes });
  };
  return { vault, call, bugs };
}

interface CallOptions {
  readonly key?: Uint8Array | undefined;
  readonly capabilities?: object;
}

interface ToolParams {
  readonly name: string;
  readonly [param: string]: unknown;
}

const deletion = { name: "delete_item", arguments: { item: "i-1", version: 3 } };
const consent = { inputResponses: { consent: { action: "accept", content: { delete: true } } } };
const resultOf = async (response: Response) => answer.parse(await response.json()).result;

describe("the question for consent", () => {
  it("can be answered at any process with the same key", async () => {
    const { vault, call } = setUp();
    const { requestState, inputRequests } = await resultOf(await call({}, deletion));
    expect(Object.keys(inputRequests ?? {})).toEqual(["consent"]);
    const result = await resultOf(await call({}, { ...deletion, requestState, ...consent }));
    expect(result.structuredContent).toMatchObject({ outcome: "deleted" });
    expect(vault.itemOf("i-1")).toMatchObject({ deleted: true });
  });

  it.each<[string, Partial<TokenCaller>, Uint8Array | undefined]>([
    ["by another person", { id: "eve agent" }, undefined],
    ["by another client of the person", { id: "ada other" }, undefined],
    ["at a server with another key", {}, new Uint8Array(32).fill(2)],
  ])("cannot be answered %s", async (_, changes, key) => {
    const { vault, call } = setUp();
    const { requestState } = await resultOf(await call({}, deletion));
    const response = await call(changes, { ...deletion, requestState, ...consent }, { key });
    expect(await response.json()).toMatchObject({ error: { code: -32602 } });
    expect(vault.itemOf("i-1")).toMatchObject({ deleted: false });
  });
});

describe("a tool that needs a further scope", () => {
  const challengeOf = async (changes: Partial<TokenCaller>) => {
    const { vault, call } = setUp();
    const response = await call(changes, deletion);
    expect(vault.itemOf("i-1")).toMatchObject({ deleted: false });
    return [response.status, response.headers.get("WWW-Authenticate")];
  };

  it("gets 403 with its scopes and those of the token (RFC 6750 section 3.1)", async () => {
    const [status, challenge] = await challengeOf({ scopes: ["vault.items:read", "vault.items:restore"] });
    expect(status).toBe(403);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="vault.items:read vault.items:delete vault.items:restore"');
    expect(challenge).toContain('resource_metadata="https://mcp.example/metadata"');
  });

  it("gets no challenge for a scope that its client may not have: nobody could answer it", async () => {
    const scopes = ["vault.items:read"];
    expect(await challengeOf({ scopes, obtainableScopes: scopes })).toEqual([200, null]);
  });
});

it("list_items of a server, which has no keys, lists ids only and says why", async () => {
  const { call } = setUp();
  const { structuredContent } = await resultOf(await call({}, { name: "list_items", arguments: {} }));
  expect(structuredContent).toEqual({
    vaultId: "v-1",
    items: [{ itemId: "i-1", vaultId: "v-1", kind: "login", version: 3, deleted: false }],
    notice: expect.stringContaining("this server has no keys: it knows items by their ids only"),
  });
});

describe("a client that has no forms", () => {
  const none = { capabilities: {} };
  const opens = { capabilities: { elicitation: { url: {} } } };
  /** A page on which the person has consented, or not. */
  const pageOf = (consented: boolean) => {
    const asked: unknown[] = [];
    const returned: unknown[] = [];
    const ended: unknown[] = [];
    const consentPage = {
      link: () => "https://accounts.example/page",
      take: async (about: unknown) => asked.push(about) > 0 && consented,
      giveBack: async (about: unknown) => void returned.push(about),
      end: async (about: unknown) => void ended.push(about),
    };
    return { asked, returned, ended, consentPage };
  };
  const textOf = async (response: Response) => (await resultOf(response)).content?.[0]?.text;

  it("deletes nothing without a page", async () => {
    const { call } = setUp();
    expect(await textOf(await call({}, deletion, opens))).toContain("it does not support elicitation with forms");
  });

  it("gets the address of the page until the person has consented there, and deletes then", async () => {
    const { vault, call } = setUp();
    const { asked, consentPage } = pageOf(false);
    expect(await textOf(await call({ consentPage }, deletion, none))).toMatch(
      /arguments: https:\/\/accounts\.example\/page$/,
    );
    expect(asked).toEqual([{ vaultId: "v-1", itemId: "i-1", version: 3 }]);
    expect(vault.itemOf("i-1")).toMatchObject({ deleted: false });
    const consented = pageOf(true);
    const result = await resultOf(await call(consented, deletion, none));
    expect(result.structuredContent).toMatchObject({ outcome: "deleted", version: 4 });
    expect(consented.ended).toEqual(asked);
  });

  it("gives the consent back when the deletion was rejected", async () => {
    const { vault, call } = setUp();
    const { asked, returned, ended, consentPage } = pageOf(true);
    vault.fake.failNext("TOKEN_NOT_ALLOWLISTED");
    expect(await resultOf(await call({ consentPage }, deletion, none))).toMatchObject({ isError: true });
    expect([returned, ended]).toEqual([asked, []]);
    const { structuredContent } = await resultOf(await call({ consentPage }, deletion, none));
    expect(structuredContent).toMatchObject({ outcome: "deleted" });
    expect([returned.length, ended]).toEqual([1, [{ vaultId: "v-1", itemId: "i-1", version: 3 }]]);
  });

  it("does not give the consent back after an error of the server: the item may be deleted", async () => {
    const { vault, call } = setUp();
    const { asked, returned, consentPage } = pageOf(true);
    vault.fake.failNext("INTERNAL");
    expect(await resultOf(await call({ consentPage }, deletion, none))).toMatchObject({ isError: true });
    expect([asked.length, returned]).toEqual([1, []]);
  });

  it("takes no consent for a version that is not the current one", async () => {
    const { vault, call } = setUp();
    vault.put("i-1", { version: 4 });
    const { asked, consentPage } = pageOf(true);
    expect(await textOf(await call({ consentPage }, deletion, none))).toContain("Its current version is 4.");
    expect(asked).toEqual([]);
  });

  it("opens the page if it can, and deletes nothing if the person declines", async () => {
    const { vault, call } = setUp();
    const { consentPage } = pageOf(false);
    const { inputRequests } = await resultOf(await call({ consentPage }, deletion, opens));
    expect(inputRequests).toMatchObject({ page: { params: { mode: "url", url: "https://accounts.example/page" } } });
    const declined = { ...deletion, inputResponses: { page: { action: "decline" } } };
    const { structuredContent } = await resultOf(await call({ consentPage }, declined, opens));
    expect(structuredContent).toMatchObject({ outcome: "not deleted", decision: "decline" });
    const opened = { ...deletion, inputResponses: { page: { action: "accept" } } };
    expect(await textOf(await call({ consentPage }, opened, opens))).toContain("Nothing was deleted yet.");
    expect(vault.itemOf("i-1")).toMatchObject({ deleted: false });
  });
});

describe("Accept (RFC 9110 section 12.5.1)", () => {
  const [json, stream] = ["application/json", "text/event-stream"];
  /** Lists the tools with an older revision, whose answers are streams by default, or with the new one, whose answers are JSON. */
  const list = (version: string, accept: object, id: string | number = 1) => {
    const params = version === revision ? { _meta: metaOf({}) } : {};
    const headers = { "Content-Type": json, "MCP-Protocol-Version": version, "Mcp-Method": "tools/list", ...accept };
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params });
    const { transport } = createFakeVault();
    const caller = { id: "ada", token: "token", scopes: allScopes, obtainableScopes: allScopes, transport };
    const request = new Request(url, { method: "POST", headers, body });
    return createMcpHandler({ ...options, stateKey }).fetch(request, caller);
  };

  it.each<[object, string, string]>([
    [{}, stream, json],
    [{ Accept: "*/*" }, stream, json],
    [{ Accept: "application/*;q=0.5;v=1" }, json, json],
    [{ Accept: "Application/JSON; charset=utf-8" }, json, json],
    [{ Accept: "text/event-stream;q=0.001" }, stream, stream],
    [{ Accept: "*/*, text/event-stream;q=0" }, json, json],
    [{ Accept: "text/*, application/*, application/json; Q=0.0" }, stream, stream],
  ])("%o gets %s of an older revision, and %s of the new one", async (accept, ofOld, ofNew) => {
    for (const [version, type] of [["2025-06-18", ofOld] as const, [revision, ofNew] as const]) {
      const response = await list(version, accept);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
      const [message = ""] = /\{.*\}/.exec(await response.text()) ?? [];
      expect(JSON.parse(message)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    }
  });

  it.each(["1\u2028", "\u2029data: {\u2029"])("an answer in JSON may contain %j", async (id) => {
    expect(await (await list("2025-06-18", { Accept: json }, id)).json()).toMatchObject({ id, result: {} });
  });

  it.each(["text/html", "application/json;q=0, text/event-stream;q=0", "*/*;q=0", "application/json;q=2"])(
    "%s has no answer",
    async (Accept) => expect((await list(revision, { Accept })).status).toBe(406),
  );
});

describe("a body", () => {
  const send = (body: string) => {
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const request = new Request(url, { method: "POST", headers, body });
    // It is read once: a copy of it would be a second reader.
    vi.spyOn(request, "clone").mockImplementation(() => {
      throw new TypeError("the body is copied");
    });
    const { transport } = createFakeVault();
    const caller = { id: "ada agent", token: "token", scopes: allScopes, obtainableScopes: allScopes, transport };
    return createMcpHandler({ ...options, stateKey }).fetch(request, caller);
  };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };

  it.each([
    ["with a batch, which would be many calls in one request", JSON.stringify([message]), 400, -32_600],
    ["that is not JSON", "{", 400, -32_700],
    ["over 64 KiB", JSON.stringify({ ...message, params: { text: "x".repeat(64 * 1024) } }), 413, -32_000],
  ])("%s is rejected", async (_, body, status, code) => {
    const response = await send(body);
    expect([response.status, await response.json()]).toEqual([
      status,
      { jsonrpc: "2.0", error: { code, message: expect.any(String) }, id: null },
    ]);
  });
});

it("a bug of a tool is reported, and its caller learns nothing of it", async () => {
  const { call, bugs } = setUp();
  const result = await resultOf(await call({ token: "" }, deletion));
  expect(bugs).toEqual([expect.any(TypeError)]);
  expect([result.isError, result.content?.[0]?.text]).toEqual([
    true,
    "The MCP server failed. This is a bug of the server. Please report it.",
  ]);
});

it("a short key of questions is rejected", () => {
  expect(() => createMcpHandler({ ...options, stateKey: new Uint8Array(31) })).toThrow(TypeError);
});
