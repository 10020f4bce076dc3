import { deviceGrant, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { toolScopes } from "@platform-rpc/mcp/server";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { call } from "../testing/call.js";
import { createAssistant, type Kind, kinds } from "./testing/assistants.js";
import { clientDocument, type McpPerson, oauthClientId, startMcpApp } from "./testing/start-mcp-app.js";

const [readScope, deleteScope, restoreScope] = ["vault.items:read", "vault.items:delete", "vault.items:restore"];
/** What the page offers a client that may use all tools. */
const all = [readScope, deleteScope, restoreScope];
const deletion = "platform.v1.VaultService/DeleteItem";
const listVaults = "platform.accounts.v1.MemberVaultService/ListVaults";
const withForms = kinds.filter(({ forms }) => forms);

let passed = 0;
const clocks = { wall: () => Date.now() + passed, monotonic: () => performance.now() + passed };
const app = await startMcpApp({ RATE_LIMITS: "off" }, { clocks });
afterAll(() => app.end());

/** Sends a message without the code of an SDK. */
function send(token: string | undefined, changes: RequestInit = {}) {
  return fetch(app.mcpUrl, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    ...changes,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...changes.headers,
    },
  });
}

async function signedIn(person: McpPerson, kind: Kind = kinds[1]) {
  const assistant = createAssistant(app, person, kind);
  await assistant.listTools();
  return { assistant, token: assistant.provider.tokens()?.access_token ?? "" };
}

/** Returns the token request for a device code that a person has approved. */
async function approvedCode({ accountId: principalId }: McpPerson) {
  const device = await post(`${app.accountsUrl}/oauth/device_authorization`, { client_id: oauthClientId });
  const approval = { tenantId: "acme", principalId, userCode: textOf(device, "user_code"), scopes: [readScope] };
  await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", approval);
  return { grant_type: deviceGrant, client_id: oauthClientId, device_code: textOf(device, "device_code") };
}

const deletable = { item: "i-1", version: 1 };
const pathIn = (text: string) => new URL(/http:\S+$/.exec(text)?.[0] ?? "").href.slice(app.pagesUrl.length);
const decide = (person: McpPerson, path: string, decision: string) => person.browser.send(path, { form: { decision } });

describe.each(kinds)("the client of $name", (kind) => {
  it.each([
    ["as a registered client", oauthClientId, /^assistant$/, all],
    ["with a client metadata document", clientDocument.client_id, /^cimd-/, [readScope, deleteScope]],
  ])(
    "finds the metadata, signs in %s for all tools, and lists the items of the person",
    async (_, clientId, id, offered) => {
      const person = await app.person("i-1", "i-2");
      const assistant = createAssistant(app, person, kind, { clientId });
      expect(await assistant.listTools()).toEqual(["list_items", "restore_item", "delete_item"]);
      const { content } = await assistant.call("list_items", {});
      expect(content).toMatchObject({ vaultId: person.accountId, items: [{ itemId: "i-1" }, { itemId: "i-2" }] });
      expect(assistant.approved).toMatchObject([{ offered }]);
      const { aud, client_id } = decodeJwt(assistant.provider.tokens()?.access_token ?? "");
      expect([aud, client_id]).toEqual([app.mcpUrl, expect.stringMatching(id)]);
    },
  );

  it("that may only read steps up for a tool that needs a further scope, and keeps those that it has", async () => {
    const person = await app.person("i-1");
    const body = { vaultId: person.accountId, itemId: "i-1", baseVersion: 1 };
    expect((await call(app.publicUrl, deletion, body, await app.apiToken(person.accountId))).status).toBe(200);
    const assistant = createAssistant(app, person, kind, { onlyAtFirst: readScope });
    await assistant.call("list_items", {});
    expect(assistant.provider.tokens()?.scope?.split(" ")).not.toContain(restoreScope);
    const restored = await assistant.call("restore_item", { item: "i-1", version: 2 });
    expect(restored).toMatchObject({ content: { itemId: "i-1", version: 3, deleted: false } });
    expect(assistant.approved.map(({ offered }) => offered)).toEqual([all, [restoreScope]]);
    const scopes = assistant.provider.tokens()?.scope?.split(" ");
    expect(scopes).toEqual(expect.arrayContaining([readScope, restoreScope]));
  });

  it("is refused within a second after its person has ended its access, and cannot renew its token", async () => {
    const person = await app.person("i-1");
    const { assistant, token } = await signedIn(person, kind);
    const { body } = await person.browser.send("/account/api/delegations");
    const [{ id }] = Object(body).delegations;
    const ended = await person.browser.send("/account/api/access/end", { json: { kind: "software", id } });
    expect(ended.status).toBe(200);
    passed += 1_000;
    expect((await send(token)).status).toBe(401);
    await expect(assistant.call("list_items", {})).rejects.toThrow("was revoked, or was used. Sign in again.");
  });
});

describe.each(withForms)("the client of $name", (kind) => {
  it("asks for the scope to delete when a tool needs it, and deletes what the person has consented to", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kind, { onlyAtFirst: readScope });
    await assistant.call("list_items", {});
    const deleted = await assistant.call("delete_item", { item: "i-1", version: 1 });
    expect(deleted.content).toMatchObject({ outcome: "deleted", itemId: "i-1", version: 2 });
    expect(assistant.forms).toEqual([expect.stringContaining("Item: i-1\nKind: Login")]);
    expect(assistant.approved.map(({ offered }) => offered)).toEqual([all, [deleteScope]]);
    const { body } = await person.browser.send("/account/api/activity");
    expect(Object(body).entries).toContainEqual(
      expect.objectContaining({
        by: "you",
        software: { id: oauthClientId, name: "Assistant" },
        operation: deletion,
        subject: `item:${person.accountId}/i-1`,
        event: "deleted",
      }),
    );
  });
});

describe("a client without forms", () => {
  it("gets the address of a page, on which the person consents to one deletion, once", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kinds[1]);
    const asked = await assistant.call("delete_item", deletable);
    expect([asked.isError, asked.text]).toEqual([true, expect.stringContaining("Ask them to open this page")]);
    const path = pathIn(asked.text);
    expect((await person.browser.send(path)).body).toContain("Assistant");
    // Until the person has decided, it gets a link again.
    expect((await assistant.call("delete_item", deletable)).text).toContain("Nothing was deleted yet.");
    expect((await decide(person, path, "allow")).status).toBe(200);
    expect((await assistant.call("delete_item", deletable)).content).toMatchObject({ outcome: "deleted", version: 2 });
    expect((await assistant.call("delete_item", deletable)).content).toMatchObject({ outcome: "already deleted" });
    // Restored, it has another version, to which nobody has consented.
    await assistant.call("restore_item", { item: "i-1", version: 2 });
    const again = await assistant.call("delete_item", { item: "i-1", version: 3 });
    expect(again.text).toContain("Nothing was deleted yet.");
  });
});

describe("what a token is for", () => {
  it("is named by the metadata of the exact URL (RFC 9728), which pages of any origin may read", async () => {
    const { origin } = new URL(app.mcpUrl);
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
      const response = await fetch(origin + path, { headers: { Origin: "https://client.example" } });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(await response.json()).toMatchObject({
        resource: `${origin}/mcp`,
        authorization_servers: [app.accountsUrl],
        scopes_supported: toolScopes,
        authorization_details_types_supported: ["vault"],
        bearer_methods_supported: ["header"],
      });
    }
  });

  const metadata = () => `resource_metadata="${new URL(app.mcpUrl).origin}/.well-known/oauth-protected-resource/mcp"`;
  it("is what a request without a token learns (RFC 6750 section 3)", async () => {
    const { status, headers } = await send(undefined);
    expect([status, headers.get("WWW-Authenticate")]).toEqual([
      401,
      `Bearer ${metadata()}, scope="${toolScopes.join(" ")}"`,
    ]);
  });

  it("is one resource: a token of the API, of a broker, or of nobody is refused", async () => {
    const person = await app.person();
    const { token } = await signedIn(person);
    const broker = await post(`${app.accountsUrl}/oauth/token`, {
      ...(await approvedCode(person)),
      resource: "https://platform.example/broker",
    });
    const others = [
      await app.apiToken(person.accountId),
      textOf(broker, "access_token"),
      `${token}x`,
      "x",
      `${token} x`,
    ];
    for (const other of others) {
      const { status, headers } = await send(other);
      expect([status, headers.get("WWW-Authenticate")]).toEqual([
        401,
        `Bearer error="invalid_token", ${metadata()}, scope="${toolScopes.join(" ")}"`,
      ]);
    }
    expect((await send(token)).status).toBe(200);
  });

  it("is one resource: a token for MCP is refused by the API and by that of members", async () => {
    const { token } = await signedIn(await app.person());
    const body = { vaultId: "v", itemId: "i", baseVersion: 1 };
    expect((await call(app.publicUrl, deletion, body, token)).status).toBe(401);
    expect((await call(app.accountsUrl, listVaults, {}, token)).status).toBe(401);
  });

  it("is approved by its name: neither a device code nor its refresh tokens give one for MCP (RFC 8707)", async () => {
    const person = await app.person();
    const code = await approvedCode(person);
    const token = `${app.accountsUrl}/oauth/token`;
    expect((await post(token, { ...code, resource: app.mcpUrl })).json.error).toBe("invalid_target");
    const tokens = await post(token, code);
    const refresh = { grant_type: "refresh_token", client_id: oauthClientId };
    const sent = { ...refresh, refresh_token: textOf(tokens, "refresh_token") };
    expect((await post(token, { ...sent, resource: app.mcpUrl })).json.error).toBe("invalid_target");
    expect((await post(token, sent)).status).toBe(200);
  });
});

it("the clients renew their tokens, which are for the same server", async () => {
  const clients = await Promise.all(
    kinds.map(async (kind) => {
      const assistant = createAssistant(app, await app.person("i-1"), kind);
      await assistant.listTools();
      return { assistant, first: assistant.provider.tokens()?.access_token ?? "" };
    }),
  );
  passed += 15 * 60_000;
  for (const { assistant, first } of clients) {
    expect((await send(first)).status).toBe(401);
    expect((await assistant.call("list_items", {})).content).toMatchObject({ items: [{ itemId: "i-1" }] });
    const renewed = assistant.provider.tokens()?.access_token ?? "";
    expect([renewed === first, decodeJwt(renewed).aud]).toEqual([false, app.mcpUrl]);
    expect(assistant.approved).toHaveLength(1);
  }
});
