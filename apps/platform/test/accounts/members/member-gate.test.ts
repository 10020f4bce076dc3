import { content } from "@platform-rpc/accounts/testing/item-content";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type Answered, call, errorIn } from "../../../src/testing/call.js";
import { scopes, startMemberApp, tenantId } from "./testing/start-member-app.js";

const itemMethods = ["ListChanges", "GetItem", "ListEarlierContents", "PutItem", "RestoreItem"];
const methods = ["ListVaults", "WatchVaults", ...itemMethods];

const app = await startMemberApp();
const ada = await app.token({ principalId: "ada" });
const vaultId = await app.vault({ ada: "owner" });
/** A vault that shreds deleted items at once. */
const shredding = await app.vault({ ada: "owner" }, 0);
await app.deleted({ vaultId, itemId: "tombstone" }, ada);
await app.deleted({ vaultId: shredding, itemId: "shredded" }, ada);
afterAll(() => app.end());

describe("the gate of the member API is that of the API", () => {
  const send = (init: RequestInit & { readonly headers: Record<string, string> }) =>
    fetch(`${app.accountsUrl}/platform.accounts.v1.MemberVaultService/ListVaults`, {
      method: "POST",
      body: "{}",
      ...init,
      headers: { "Content-Type": "application/json", "Connect-Protocol-Version": "1", ...init.headers },
    }).then(async (response) => {
      const text = await response.text();
      return { status: response.status, text, json: JSON.parse(text), headers: response.headers };
    });

  it("rejects a token in a cookie as UNAUTHENTICATED", async () => {
    const answer = await send({ headers: { Cookie: `__Host-session=${ada}; access_token=${ada}` } });
    expect(errorIn(answer)).toMatchObject({ status: 401, reason: "UNAUTHENTICATED" });
    expect(answer.headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
  });

  it("rejects a body that is too long as REQUEST_TOO_LARGE with 429, as the contract says", async () => {
    const answer = await send({ headers: { Authorization: `Bearer ${ada}` }, body: `{"x":"${"x".repeat(300_000)}"}` });
    expect(errorIn(answer)).toMatchObject({ status: 429, reason: "REQUEST_TOO_LARGE" });
    expect(answer.headers.get("Retry-After")).toBeNull();
  });

  it("accepts a token of a page of another origin, and looks at no cookie", async () => {
    const headers = { Authorization: `Bearer ${ada}`, Cookie: "__Host-session=x", Origin: "https://other.example" };
    const answer = await send({ headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(answer.headers.get("Set-Cookie")).toBeNull();
  });

  it("rejects a token of an administrator, and of an OAuth client that may not call the operation", async () => {
    await app.admin("AccessAdminService/SetOauthClient", {
      tenantId,
      oauthClientId: "c-narrow",
      name: "Narrow",
      allowedOperations: ["platform.accounts.v1.MemberVaultService/ListVaults"],
      enabled: true,
    });
    const narrow = await app.token({ principalId: "ada", oauthClientId: "c-narrow" });
    expect((await app.member("ListVaults", {}, narrow)).status).toBe(200);
    for (const token of [app.adminToken, narrow]) {
      const answer = await app.member("GetItem", { vaultId, itemId: "tombstone" }, token);
      expect(errorIn(answer)).toMatchObject({ status: 403, reason: "TOKEN_NOT_ALLOWLISTED" });
    }
  });

  it.each([
    ["GetItem", "vault.items:read"],
    ["ListEarlierContents", "vault.items:read"],
    ["PutItems", "vault.items:write"],
    ["DeleteItems", "vault.items:delete"],
    ["RestoreItem", "vault.items:restore"],
  ])("%s requires the scope %s", async (method, scope) => {
    const others = [...scopes, "platform.internal:admin"].filter((other) => other !== scope);
    const token = await app.token({ principalId: "ada", scopes: others });
    const answer = await app.member(method, {}, token);
    expect(errorIn(answer)).toMatchObject({ status: 403, reason: "INSUFFICIENT_SCOPE" });
    expect(answer.headers.get("WWW-Authenticate")).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
  });
});

describe("DECISIONS section 7: only responses with encrypted contents and ids are compressed", () => {
  const encryptedPayload = { ...content.encryptedPayload, ciphertext: "c2VjcmV0".repeat(200) };
  const large = { ...content, encryptedPayload, itemId: "large", baseVersion: 0 };

  it.each([
    ["br, gzip", "br"],
    ["gzip", "gzip"],
    ["zstd, identity", null],
  ])("ListChanges, GetItem and ListEarlierContents, for a caller that accepts %s, in %s", async (accepted, coding) => {
    const vault = await app.vault({ ada: "owner" });
    for (const change of [{}, { kind: "card", baseVersion: 1 }])
      await app.member("PutItem", { vaultId: vault, ...large, ...change }, ada);
    for (const [method, body] of [
      ["ListChanges", { vaultId: vault, afterSequence: 0, limit: 10 }],
      ["GetItem", { vaultId: vault, itemId: "large" }],
      ["ListEarlierContents", { vaultId: vault, itemId: "large" }],
    ] as const) {
      const answer = await app.member(method, body, ada, { "Accept-Encoding": accepted });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get("Content-Encoding")).toBe(coding);
      expect(answer.text).toBe((await app.member(method, body, ada, { "Accept-Encoding": "identity" })).text);
    }
  });

  it.each([
    ["the public API", () => app.publicUrl, "platform.v1.VaultService/DeleteItem", { baseVersion: 1 }],
    [
      "a vault, whose name is not encrypted",
      () => app.accountsUrl,
      "platform.accounts.v1.MemberVaultService/ListVaults",
      {},
    ],
  ])("never %s", async (_, url, operation, body) => {
    for (let count = 0; count < 20; count += 1) await app.vault({ ada: "owner" });
    const vault = await app.vault({ ada: "owner" });
    await app.member("PutItem", { vaultId: vault, ...large }, ada);
    const request = { vaultId: vault, itemId: "large", ...body };
    const answer = await call(url(), operation, request, ada, { "Accept-Encoding": "br, gzip" });
    expect(answer.text.length).toBeGreaterThan(1024);
    expect(answer.headers.get("Content-Encoding")).toBeNull();
  });
});

describe("each listener serves its own operations", () => {
  it("an operation of members is unknown to the public and the internal listener", async () => {
    for (const url of [app.publicUrl, app.internalUrl]) {
      const answer = await call(url, "platform.accounts.v1.MemberVaultService/ListVaults", {}, ada);
      expect(errorIn(answer)).toMatchObject({ status: 404, reason: "OPERATION_UNKNOWN" });
    }
  });

  it.each(["platform.v1.VaultService/DeleteItem", "platform.internal.v1.VaultAdminService/ListChanges"])(
    "%s is not served by the accounts listener",
    async (operation) => {
      for (const token of [ada, app.adminToken]) {
        const response = await fetch(`${app.pagesUrl}/${operation}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Origin: app.pagesUrl },
          body: "{}",
        });
        expect(response.status).toBe(404);
      }
    },
  );
});

describe("DECISIONS section 3: a vault of which the caller is not a member does not exist", () => {
  it("a caller who is not a member gets the response of an unknown vault, byte for byte but for the request id", async () => {
    await app.admin("AccessAdminService/SetOauthClient", {
      tenantId: "other",
      oauthClientId: "c-other",
      name: "Other",
      allowedOperations: methods.map((method) => `platform.accounts.v1.MemberVaultService/${method}`),
      enabled: true,
    });
    const outsiders = [
      await app.token({ principalId: "mallory" }),
      await app.token({ principalId: "ada", tenantId: "other", oauthClientId: "c-other" }),
    ];
    const withoutId = ({ status, text, headers }: Answered) => ({
      status,
      text: text.replaceAll(headers.get("X-Request-Id") ?? "?", "<id>").replace(/"value":"[^"]*"/, ""),
      headers: [...headers.keys()],
    });
    const anyCall = fc.record({
      token: fc.constantFrom(...outsiders),
      method: fc.constantFrom(...itemMethods),
      body: fc.record({
        itemId: fc.constantFrom("tombstone", "shredded", "none"),
        baseVersion: fc.integer({ min: 1, max: 4 }),
        afterSequence: fc.nat(9),
        limit: fc.integer({ min: 1, max: 3 }),
      }),
      vault: fc.constantFrom(vaultId, shredding),
    });
    await fc.assert(
      fc.asyncProperty(anyCall, async ({ token, method, body, vault }) => {
        const request = { ...body, ...(method === "PutItem" && content) };
        const existing = await app.member(method, { ...request, vaultId: vault }, token);
        const unknown = await app.member(method, { ...request, vaultId: "none" }, token);
        expect(errorIn(existing).reason).toBe("VAULT_NOT_FOUND");
        expect(withoutId(existing)).toEqual(withoutId(unknown));
        expect((await app.member("ListVaults", {}, token)).json).toEqual({ vaults: [], nextPageToken: "" });
      }),
      { numRuns: 40 },
    );
  });
});
