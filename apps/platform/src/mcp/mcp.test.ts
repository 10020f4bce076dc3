import { deviceGrant, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { toolScopes } from "@platform-rpc/mcp/server";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../testing/call.js";
import { createAssistant, type Kind, kinds } from "./testing/assistants.js";
import {
  clientDocument,
  type McpApp,
  type McpPerson,
  oauthClientId,
  redirectUri,
  startMcpApp,
} from "./testing/start-mcp-app.js";

const [readScope, deleteScope, restoreScope] = ["vault.items:read", "vault.items:delete", "vault.items:restore"];
const deletion = "platform.v1.VaultService/DeleteItem";
const listVaults = "platform.accounts.v1.MemberVaultService/ListVaults";
const withForms = kinds.filter(({ forms }) => forms);

let app: McpApp;
let passed = 0;
beforeAll(async () => {
  const clocks = { wall: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  app = await startMcpApp({ RATE_LIMITS: "off" }, { clocks });
});
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

const refused = (token: string) => expect.poll(async () => (await send(token)).status, { timeout: 1_000 }).toBe(401);

async function signedIn(person: McpPerson, kind: Kind = kinds[1]) {
  const assistant = createAssistant(app, person, kind);
  await assistant.listTools();
  return { assistant, token: assistant.provider.tokens()?.access_token ?? "" };
}

const deletable = { item: "i-1", version: 1 };
const pathIn = (text: string) => new URL(/http:\S+$/.exec(text)?.[0] ?? "").href.slice(app.accountsUrl.length);
const decide = (person: McpPerson, path: string, decision: string) => person.browser.send(path, { form: { decision } });

describe.each(kinds)("the client of $name", (kind) => {
  it.each([
    ["as a registered client", oauthClientId, /^assistant$/],
    ["with a client metadata document", clientDocument.client_id, /^cimd-/],
  ])("finds the metadata, signs in to read %s, and lists the items of the person", async (_, clientId, id) => {
    const person = await app.person("i-1", "i-2");
    const assistant = createAssistant(app, person, kind, { clientId });
    expect(await assistant.listTools()).toEqual(["list_items", "restore_item", "delete_item"]);
    const { content } = await assistant.call("list_items", {});
    expect(content).toMatchObject({ vaultId: person.accountId, items: [{ itemId: "i-1" }, { itemId: "i-2" }] });
    expect(assistant.approved.map(({ offered }) => offered)).toEqual([[readScope]]);
    const { aud, client_id } = decodeJwt(assistant.provider.tokens()?.access_token ?? "");
    expect([aud, client_id]).toEqual([app.mcpUrl, expect.stringMatching(id)]);
  });

  it("steps up for a tool that needs a further scope, and keeps those that it has", async () => {
    const person = await app.person("i-1");
    const body = { vaultId: person.accountId, itemId: "i-1", baseVersion: 1 };
    expect((await call(app.publicUrl, deletion, body, await app.apiToken(person.accountId))).status).toBe(200);
    const assistant = createAssistant(app, person, kind);
    await assistant.call("list_items", {});
    const restored = await assistant.call("restore_item", { item: "i-1", version: 2 });
    expect(restored).toMatchObject({ content: { itemId: "i-1", version: 3, deleted: false } });
    expect(assistant.approved.map(({ offered }) => offered)).toEqual([[readScope], [restoreScope]]);
    const scopes = assistant.provider.tokens()?.scope?.split(" ");
    expect(scopes).toEqual(expect.arrayContaining([readScope, restoreScope]));
  });

  it.each([
    ["a registered client", oauthClientId],
    ["a client with a metadata document", clientDocument.client_id],
  ])(
    "deletes, as %s that cannot ask, what the person has consented to on the page of the link",
    async (_, clientId) => {
      const person = await app.person("i-1");
      const assistant = createAssistant(app, person, kind, { clientId, asks: false });
      const { text } = await assistant.call("delete_item", deletable);
      expect(text).toContain("Ask them to open this page");
      expect((await decide(person, pathIn(text), "delete")).status).toBe(200);
      expect((await assistant.call("delete_item", deletable)).content).toMatchObject({
        outcome: "deleted",
        version: 2,
      });
      expect(assistant.approved.map(({ offered }) => offered)).toEqual([[readScope], [deleteScope]]);
    },
  );

  it("is refused within a second after its person has ended its access, and cannot renew its token", async () => {
    const person = await app.person("i-1");
    const { assistant, token } = await signedIn(person, kind);
    const { body } = await person.browser.send("/account/api/delegations");
    const [{ id }] = Object(body).delegations;
    const ended = await person.browser.send("/account/api/delegations/end", { json: { id } });
    expect(ended.status).toBe(200);
    await refused(token);
    await expect(assistant.call("list_items", {})).rejects.toThrow("was revoked, or was used. Sign in again.");
  });
});

describe.each(withForms)("the client of $name", (kind) => {
  it("asks for the scope to delete when a tool needs it, and deletes what the person has consented to", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kind);
    await assistant.call("list_items", {});
    const deleted = await assistant.call("delete_item", { item: "i-1", version: 1 });
    expect(deleted.content).toMatchObject({ outcome: "deleted", itemId: "i-1", version: 2 });
    expect(assistant.forms).toEqual([expect.stringContaining("Item: i-1\nKind: login")]);
    expect(assistant.approved.map(({ offered }) => offered)).toEqual([[readScope], [deleteScope]]);
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

  it("deletes nothing without the consent, and shows a conflict", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kind, { answer: { delete: false, decision: "keep theirs" } });
    expect(await assistant.call("delete_item", { item: "i-1", version: 1 })).toMatchObject({
      content: { outcome: "not deleted", decision: "decline" },
    });
    await person.put("i-1", 1);
    expect(await assistant.call("delete_item", { item: "i-1", version: 1 })).toMatchObject({
      content: { outcome: "not deleted", decision: "keep theirs" },
    });
    expect(assistant.forms[1]).toContain("Yours: version 1");
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
    expect((await decide(person, path, "delete")).status).toBe(200);
    expect((await assistant.call("delete_item", deletable)).content).toMatchObject({ outcome: "deleted", version: 2 });
    expect((await assistant.call("delete_item", deletable)).content).toMatchObject({ outcome: "already deleted" });
    // Restored, it has another version, to which nobody has consented.
    await assistant.call("restore_item", { item: "i-1", version: 2 });
    const again = await assistant.call("delete_item", { item: "i-1", version: 3 });
    expect(again.text).toContain("Nothing was deleted yet.");
  });

  it("uses up the consent by the deletion only: while its software may not delete, the consent stays", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kinds[1]);
    const { text } = await assistant.call("delete_item", deletable);
    expect((await decide(person, pathIn(text), "delete")).status).toBe(200);
    const attempt = async () => (await assistant.call("delete_item", deletable)).text;
    const setClient = async (mayDelete: boolean) => {
      await app.setClient(true, { mayDelete });
      // What is allowed is cached for a second.
      passed += 1_001;
    };
    await setClient(false);
    expect(await attempt()).toContain("Reason: TOKEN_NOT_ALLOWLISTED");
    await setClient(true);
    expect(await attempt()).toContain('"outcome":"deleted"');
  });

  it("deletes nothing that has changed since the assistant saw it", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kinds[1]);
    const { text } = await assistant.call("delete_item", deletable);
    expect((await decide(person, pathIn(text), "delete")).status).toBe(200);
    await person.put("i-1", 1);
    const { isError, text: changed } = await assistant.call("delete_item", deletable);
    expect([isError, changed]).toEqual([true, expect.stringContaining("Its current version is 2.")]);
  });

  it("that opens pages (2026-07-28) opens it, and continues when the person has consented", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kinds[2], {
      open: async (url) => void (await decide(person, url.slice(app.accountsUrl.length), "delete")),
    });
    expect((await assistant.call("delete_item", deletable)).content).toMatchObject({ outcome: "deleted" });
  });

  it("that opens pages deletes nothing if the person has not consented there", async () => {
    const person = await app.person("i-1");
    const assistant = createAssistant(app, person, kinds[2], { open: async () => {} });
    expect((await assistant.call("delete_item", deletable)).text).toContain("Nothing was deleted yet.");
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
    expect([status, headers.get("WWW-Authenticate")]).toEqual([401, `Bearer ${metadata()}, scope="${readScope}"`]);
  });

  it("is one resource: a token of the API, of a broker, or of nobody is refused", async () => {
    const person = await app.person();
    const { token } = await signedIn(person);
    const device = await post(`${app.accountsUrl}/oauth/device_authorization`, { client_id: oauthClientId });
    await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", {
      ...{
        tenantId: "acme",
        principalId: person.accountId,
        userCode: textOf(device, "user_code"),
        scopes: [readScope],
      },
    });
    const broker = await post(`${app.accountsUrl}/oauth/token`, {
      ...{ grant_type: deviceGrant, client_id: oauthClientId, device_code: textOf(device, "device_code") },
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
        `Bearer error="invalid_token", ${metadata()}, scope="${readScope}"`,
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
    const device = await post(`${app.accountsUrl}/oauth/device_authorization`, { client_id: oauthClientId });
    await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", {
      ...{
        tenantId: "acme",
        principalId: person.accountId,
        userCode: textOf(device, "user_code"),
        scopes: [readScope],
      },
    });
    const code = { grant_type: deviceGrant, client_id: oauthClientId, device_code: textOf(device, "device_code") };
    const token = `${app.accountsUrl}/oauth/token`;
    expect((await post(token, { ...code, resource: app.mcpUrl })).json.error).toBe("invalid_target");
    const tokens = await post(token, code);
    const refresh = { grant_type: "refresh_token", client_id: oauthClientId };
    const sent = { ...refresh, refresh_token: textOf(tokens, "refresh_token") };
    expect((await post(token, { ...sent, resource: app.mcpUrl })).json.error).toBe("invalid_target");
    expect((await post(token, sent)).status).toBe(200);
  });

  it("a request for another URL of this server gets invalid_target", async () => {
    const person = await app.person();
    for (const resource of [`${app.mcpUrl}/`, new URL(app.mcpUrl).origin, app.mcpUrl.replace("/mcp", "/MCP")]) {
      const query = new URLSearchParams({
        ...{
          response_type: "code",
          client_id: oauthClientId,
          redirect_uri: redirectUri,
          code_challenge_method: "S256",
        },
        ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", resource },
      });
      const { location = "" } = await person.browser.send(`/oauth/authorize?${query}`);
      expect(new URL(location).searchParams.get("error")).toBe("invalid_target");
    }
  });

  it("is what a refresh token of MCP gives: never a token of the API", async () => {
    const { assistant } = await signedIn(await app.person());
    const refresh_token = assistant.provider.tokens()?.refresh_token ?? "";
    const sent = { grant_type: "refresh_token", client_id: oauthClientId, refresh_token };
    const answer = await post(`${app.accountsUrl}/oauth/token`, { ...sent, resource: app.publicUrl });
    expect(answer.json.error).toBe("invalid_target");
  });
});

describe("within a second, a token is refused", () => {
  it("after its client has revoked it (RFC 7009)", async () => {
    const { token } = await signedIn(await app.person());
    expect((await post(`${app.accountsUrl}/oauth/revoke`, { token, client_id: oauthClientId })).status).toBe(200);
    await refused(token);
  });

  it("after an administrator has disabled the client", async () => {
    const { token } = await signedIn(await app.person());
    await app.setClient(false);
    try {
      await refused(token);
    } finally {
      await app.setClient(true);
    }
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
