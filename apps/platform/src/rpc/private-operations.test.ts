import { generateKeyPairSync, randomUUID } from "node:crypto";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Answered, call, errorIn } from "../testing/call.js";
import { startTestApp } from "../testing/start-test-app.js";
import { privateOperations } from "./private-routes.js";

const app = await startTestApp({ PUBLIC_URL: "https://api.example/base" });
afterAll(() => app.end());

const tenantId = "t-1";
const principalId = "p-1";
const oauthClientId = "c-1";
const scopes = ["vault.items:delete"];
const vault = "platform.internal.v1.VaultAdminService/";
const device = "platform.internal.v1.DeviceAuthorizationService/";
const access = "platform.internal.v1.AccessAdminService/";
const admin = (operation: string, body: object): Promise<Answered> =>
  call(app.internalUrl, operation, body, app.adminToken);

/** Makes a call that must succeed, and returns its response. */
async function done(operation: string, body: object): Promise<unknown> {
  const { status, json, text } = await admin(operation, body);
  expect(status, text).toBe(200);
  return json;
}

const field = (name: string, json: unknown): string => z.looseObject({ [name]: z.string() }).parse(json)[name] ?? "";

async function newVault(retentionDays?: number): Promise<{ tenantId: string; vaultId: string }> {
  return { tenantId, vaultId: field("vaultId", await done(`${vault}CreateVault`, { tenantId, retentionDays })) };
}

async function startAuthorization(popPublicJwk = "") {
  const client = { tenantId, oauthClientId, name: "Client", allowedOperations: [], enabled: true };
  await done(`${access}SetOauthClient`, client);
  await done(`${access}SetPrincipal`, { tenantId, principalId, active: true });
  const wanted = { tenantId, oauthClientId, scopes, popPublicJwk };
  return done(`${device}StartDeviceAuthorization`, wanted);
}

describe("VaultAdminService", () => {
  it("CreateVault creates an id, keeps a given one, and returns the same answer for a repeated call", async () => {
    const made = await newVault();
    expect(made.vaultId).toMatch(/^[0-9a-f-]{36}$/);
    const vaultId = `v-${randomUUID()}`;
    expect(await done(`${vault}CreateVault`, { tenantId, vaultId, retentionDays: 0 })).toEqual({ vaultId });
    expect(await done(`${vault}CreateVault`, { tenantId, vaultId, retentionDays: 0 })).toEqual({ vaultId });
    expect(errorIn(await admin(`${vault}CreateVault`, { tenantId, vaultId, retentionDays: 90 }))).toMatchObject({
      status: 409,
      code: "already_exists",
      reason: "VAULT_ALREADY_EXISTS",
    });
  });

  it("SetVaultMember returns {} for a role, and for an empty one", async () => {
    const ref = await newVault();
    expect(await done(`${vault}SetVaultMember`, { ...ref, principalId, role: "viewer" })).toEqual({});
    expect(await done(`${vault}SetVaultMember`, { ...ref, principalId, role: "" })).toEqual({});
  });
});

describe("DeviceAuthorizationService", () => {
  it("Start returns codes and the verification URI under the path of PUBLIC_URL", async () => {
    const started = await startAuthorization();
    expect(started).toEqual({
      deviceCode: expect.stringMatching(/^pdc_[\w-]{43}$/),
      userCode: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verificationUri: "https://api.example/base/device",
      verificationUriComplete: `https://api.example/base/device?user_code=${field("userCode", started)}`,
      expiresInSeconds: 600,
      intervalSeconds: 5,
    });
  });

  it("Get returns the request", async () => {
    const jwk = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    const approver = {
      tenantId,
      principalId,
      userCode: field("userCode", await startAuthorization(JSON.stringify(jwk))),
    };
    expect(await done(`${device}GetDeviceAuthorization`, approver)).toEqual({
      oauthClientId,
      oauthClientName: "Client",
      scopes,
      popKeyId: expect.stringMatching(/^[\w-]{43}$/),
      status: "pending",
      createdAt: expect.stringMatching(/^[0-9T:-]+(\.\d{3})?Z$/),
      expiresAt: expect.stringMatching(/^[0-9T:-]+(\.\d{3})?Z$/),
    });
  });

  it("Approve and Deny answer {}, and reject scopes that were not requested and a code that is unknown", async () => {
    const asked = async () => ({ tenantId, principalId, userCode: field("userCode", await startAuthorization()) });
    const approver = await asked();
    const more = await admin(`${device}ApproveDeviceAuthorization`, { ...approver, scopes: ["vault.items:read"] });
    expect(errorIn(more)).toMatchObject({ reason: "INVALID_FIELD", fields: ["scopes"] });
    expect(await done(`${device}ApproveDeviceAuthorization`, { ...approver, scopes })).toEqual({});
    expect(await done(`${device}GetDeviceAuthorization`, approver)).toMatchObject({ status: "approved" });
    const other = await asked();
    expect(await done(`${device}DenyDeviceAuthorization`, other)).toEqual({});
    expect(await done(`${device}GetDeviceAuthorization`, other)).toMatchObject({ status: "denied" });
    const unknown = await admin(`${device}DenyDeviceAuthorization`, { ...approver, userCode: "CCCC-CCCC" });
    expect(errorIn(unknown)).toMatchObject({ status: 404, code: "not_found", reason: "USER_CODE_INVALID" });
  });
});

describe("AccessAdminService", () => {
  it("IssueAccessToken issues tokens for 900 s, or less when asked; RevokeToken returns {}, also for an unknown token", async () => {
    const subject = { tenantId, principalId, oauthClientId, scopes };
    const before = Date.now();
    const longest = await done(`${access}IssueAccessToken`, subject);
    expect(longest).toEqual({
      accessToken: expect.any(String),
      tokenId: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(field("expiresAt", longest)) - before).toBeGreaterThan(898_000);
    const short = await done(`${access}IssueAccessToken`, { ...subject, expiresInSeconds: 60 });
    expect(Date.parse(field("expiresAt", short)) - before).toBeLessThan(62_000);
    expect(await done(`${access}RevokeToken`, { tokenId: field("tokenId", short) })).toEqual({});
    expect(await done(`${access}RevokeToken`, { tokenId: "unknown" })).toEqual({});
  });

  it("SetOauthClient returns the whole OAuth client as stored", async () => {
    const ref = { tenantId, oauthClientId: "stored-client" };
    const registration = {
      redirectUris: ["http://127.0.0.1/callback", "https://agent.example/callback", "com.example.agent:/callback"],
      grantTypes: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      requirePushedAuthorizationRequests: true,
      unbounded: true,
    };
    const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
    const oauthClient = { ...ref, name: "Agent", allowedOperations, enabled: true, ...registration };
    expect(await done(`${access}SetOauthClient`, oauthClient)).toEqual({ oauthClient });
    const nothing = { redirectUris: [], grantTypes: [], requirePushedAuthorizationRequests: false, unbounded: false };
    const replaced = { ...ref, name: "", allowedOperations: [], enabled: false, ...nothing };
    expect(await done(`${access}SetOauthClient`, ref)).toEqual({ oauthClient: replaced });
  });
});

describe("errors", () => {
  const ghost = { tenantId, vaultId: "00000000-0000-7000-8000-000000000000", itemId: "i" };
  const client = { tenantId, oauthClientId };
  const privateJwk = JSON.stringify(generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }));

  it.each([
    ["an invalid id", `${vault}CreateVault`, { tenantId: "a b" }, ["tenantId"]],
    ["a retention of 91 days", `${vault}CreateVault`, { tenantId, retentionDays: 91 }, ["retentionDays"]],
    ["an unknown role", `${vault}SetVaultMember`, { ...ghost, principalId, role: "king" }, ["role"]],
    ["a put without content", `${vault}PutItem`, { ...ghost, kind: "login" }, ["encryptedPayload"]],
    [
      "a replacement without an id",
      `${vault}PutItem`,
      { ...ghost, itemId: "", baseVersion: 1, ...content },
      ["itemId"],
    ],
    ["a restore without a version", `${vault}RestoreItem`, ghost, ["baseVersion"]],
    ["a page of 0 changes", `${vault}ListChanges`, { ...ghost, limit: 0 }, ["limit"]],
    ["a page of 501 changes", `${vault}ListChanges`, { ...ghost, limit: 501 }, ["limit"]],
    ["no scopes", `${device}StartDeviceAuthorization`, client, ["scopes"]],
    [
      "a private key",
      `${device}StartDeviceAuthorization`,
      { ...client, scopes, popPublicJwk: privateJwk },
      ["popPublicJwk"],
    ],
    [
      "a token of 901 s",
      `${access}IssueAccessToken`,
      { ...client, principalId, scopes, expiresInSeconds: 901 },
      ["expiresInSeconds"],
    ],
    [
      "operations with a slash, private, or unknown",
      `${access}SetOauthClient`,
      { ...client, allowedOperations: ["/platform.v1.VaultService/DeleteItem", `${vault}PutItem`, "x"] },
      ["allowedOperations[0]", "allowedOperations[1]", "allowedOperations[2]"],
    ],
    [
      "redirect URIs that must not be registered",
      `${access}SetOauthClient`,
      { ...client, redirectUris: ["http://agent.example/callback", "https://a@agent.example/"] },
      ["redirectUris[0]", "redirectUris[1]"],
    ],
    [
      "grants that the platform does not have",
      `${access}SetOauthClient`,
      { ...client, grantTypes: ["refresh_token", "implicit"] },
      ["grantTypes[1]"],
    ],
    [
      "11 redirect URIs",
      `${access}SetOauthClient`,
      { ...client, redirectUris: Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`) },
      ["redirectUris"],
    ],
    ["a name with a control character", `${access}SetOauthClient`, { ...client, name: "Client\0" }, ["name"]],
  ])("rejects %s (%s)", async (_, operation, body, fields) => {
    const invalid = { status: 400, code: "invalid_argument", reason: "INVALID_FIELD" };
    expect(errorIn(await admin(operation, body))).toEqual({ ...invalid, fields });
  });

  it("reports a missing vault with its reason", async () => {
    const missing = await admin(`${vault}SetVaultMember`, { ...ghost, principalId, role: "" });
    expect(errorIn(missing)).toMatchObject({ status: 404, code: "not_found", reason: "VAULT_NOT_FOUND" });
  });
});

describe("access to operations", () => {
  it.each([...privateOperations.keys()])(
    "%s needs the admin token, and is unknown to the public listener",
    async (operation) => {
      expect(errorIn(await call(app.internalUrl, operation, {}))).toMatchObject({
        status: 401,
        reason: "UNAUTHENTICATED",
      });
      const outside = await call(app.publicUrl, operation, {}, app.adminToken);
      expect(errorIn(outside)).toMatchObject({ status: 404, reason: "OPERATION_UNKNOWN" });
    },
  );

  it("a caller's token is not allowlisted for private operations, nor the admin's for public ones", async () => {
    const issued = await done(`${access}IssueAccessToken`, {
      tenantId,
      principalId,
      oauthClientId,
      scopes: ["platform.internal:admin"],
    });
    const inside = await call(app.internalUrl, `${vault}GetItem`, {}, field("accessToken", issued));
    expect(errorIn(inside)).toMatchObject({ status: 403, reason: "TOKEN_NOT_ALLOWLISTED" });
    const outside = await call(app.publicUrl, "platform.v1.VaultService/DeleteItem", {}, app.adminToken);
    expect(errorIn(outside)).toMatchObject({ status: 403, reason: "TOKEN_NOT_ALLOWLISTED" });
  });

  it("public operations do not exist on the internal listener", async () => {
    const answer = await admin("platform.v1.VaultService/DeleteItem", {});
    expect(errorIn(answer)).toMatchObject({ status: 404, reason: "OPERATION_UNKNOWN" });
  });
});
