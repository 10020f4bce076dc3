import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import type { OauthClient } from "./access.js";
import type { Grant } from "./grant.js";
import {
  decideIssueAccessToken,
  decideRegisterOauthClient,
  decideRevokeToken,
  decideSetOauthClient,
  decideSetPrincipal,
} from "./manage-access.js";
import { decideCreateVault, decideSetVaultMember } from "./manage-vault.js";

const now = 1_700_000_000_000;
const actor = {
  tenantId: "platform",
  principalId: "admin",
  oauthClientId: "console",
  tokenId: "jti-1",
  operation: "manage",
  requestId: "r-1",
};
const wanted = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30 };
const vault = { ...wanted, accessRevision: 3 };
const audited = (subjectTenantId: string, subject: string, event: string) => ({
  kind: "audit",
  record: { ...actor, subjectTenantId, subject, event, versionBefore: 0, versionAfter: 0, at: now },
});

describe("an OAuth client that registers itself", () => {
  const registration = {
    tenantId: "t-1",
    oauthClientId: "c-1",
    name: "New",
    allowedOperations: ["A/B", "A/C"],
    redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
    grantTypes: ["authorization_code"],
    requirePushedAuthorizationRequests: true,
  };
  const current: OauthClient = { ...registration, allowedOperations: ["A/B"], enabled: true };
  const decide = (oauthClient: OauthClient | undefined) =>
    decideRegisterOauthClient({ oauthClient }, registration, actor, now);

  it("is created enabled", () => {
    expect(decide(undefined).writes[0]).toMatchObject({ oauthClient: { ...registration, enabled: true } });
  });

  it.each([
    ["its name", { name: "Old" }],
    ["its redirect URIs", { redirectUris: ["https://agent.example/callback"] }],
    ["the order of its redirect URIs", { redirectUris: [...registration.redirectUris].reverse() }],
    ["its grants", { grantTypes: [] }],
    ["whether it pushes its requests", { requirePushedAuthorizationRequests: false }],
  ])("changes %s, and keeps its allowlist", (_, before) => {
    expect(decide({ ...current, ...before }).writes[0]).toMatchObject({ oauthClient: current });
  });

  it.each([
    ["it is disabled", { ...current, name: "Old", redirectUris: [], enabled: false }],
    ["it is registered so", current],
  ])("is not changed if %s", (_, oauthClient) => {
    expect(decide(oauthClient).writes).toEqual([]);
  });
});

describe("CreateVault", () => {
  it("writes the vault", () => {
    expect(decideCreateVault({ vault: undefined }, wanted, actor, now)).toEqual({
      outcome: { ok: true, vaultId: "v-1" },
      writes: [{ kind: "vault", vault: { ...wanted, accessRevision: 0 } }, audited("t-1", "vault:v-1", "created")],
    });
  });

  it.each([
    { retentionDays: 30, outcome: { ok: true, vaultId: "v-1" } },
    { retentionDays: 7, outcome: { ok: false, reason: "VAULT_ALREADY_EXISTS" } },
  ])(
    "leaves an existing vault with 30 days unchanged when called with $retentionDays",
    ({ retentionDays, outcome }) => {
      expect(decideCreateVault({ vault }, { ...wanted, retentionDays }, actor, now)).toEqual({ outcome, writes: [] });
    },
  );
});

describe("SetVaultMember", () => {
  it.each([
    { role: "owner", event: "role owner" },
    { role: undefined, event: "removed" },
  ])("writes the member with role $role, and the audit event $event", ({ role, event }) => {
    expect(decideSetVaultMember({ vault }, "p-1", role, actor, now)).toEqual({
      outcome: { ok: true },
      writes: [
        { kind: "member", tenantId: "t-1", vaultId: "v-1", principalId: "p-1", role },
        audited("t-1", "member:v-1/p-1", event),
      ],
    });
  });

  it("rejects a missing vault with VAULT_NOT_FOUND", () => {
    expect(decideSetVaultMember({ vault: undefined }, "p-1", "owner", actor, now)).toEqual({
      outcome: { ok: false, reason: "VAULT_NOT_FOUND" },
      writes: [],
    });
  });
});

const grant: Grant = {
  grantId: "g-1",
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  scopes: [],
  keyId: "k-1",
  issuedAt: 1,
  expiresAt: 901,
  accessTokenId: "jti-a",
  brokerTokenId: "jti-b",
  popKeyId: "",
};

describe("RevokeToken (DECISIONS section 5: by jti, and by grant)", () => {
  it("revokes the token and every token of its grant", () => {
    expect(decideRevokeToken({ grant }, "jti-b", actor, now).writes).toEqual([
      { kind: "revocation", subjectId: "jti-b", at: now },
      { kind: "revocation", subjectId: "g-1", at: now },
      audited("t-1", "grant:g-1", "revoked"),
    ]);
  });

  it("revokes an unknown token too (RFC 7009 section 2.2)", () => {
    expect(decideRevokeToken({ grant: undefined }, "foreign", actor, now).writes).toEqual([
      { kind: "revocation", subjectId: "foreign", at: now },
      audited("platform", "token:foreign", "revoked"),
    ]);
  });
});

describe("IssueAccessToken, SetOauthClient, SetPrincipal: the writes and the audit record", () => {
  const oauthClient = {
    tenantId: "t-1",
    oauthClientId: "c-1",
    name: "Agent",
    allowedOperations: ["A/B", "A/C"],
    ...withoutCodeGrant,
    enabled: true,
  };
  const registered = { ...oauthClient, registeredAt: now, registeredBy: "admin" };
  const principal = { tenantId: "t-1", principalId: "p-1", active: true };

  it.each([
    {
      decision: decideIssueAccessToken(undefined, grant, actor, now),
      writes: [{ kind: "grant", grant }, audited("t-1", "grant:g-1", "granted")],
    },
    {
      decision: decideSetOauthClient(undefined, oauthClient, actor, now),
      writes: [
        { kind: "oauthClient", oauthClient: registered },
        audited("t-1", "oauth-client:c-1", "enabled for A/B A/C"),
      ],
    },
    {
      decision: decideSetOauthClient(undefined, { ...oauthClient, redirectUris: ["app.x:/a", "app.x:/b"] }, actor, now),
      writes: [
        { kind: "oauthClient", oauthClient: { ...registered, redirectUris: ["app.x:/a", "app.x:/b"] } },
        audited("t-1", "oauth-client:c-1", "enabled for A/B A/C, redirects to app.x:/a app.x:/b"),
      ],
    },
    {
      decision: decideSetOauthClient(undefined, { ...oauthClient, enabled: false }, actor, now),
      writes: [
        { kind: "oauthClient", oauthClient: { ...registered, enabled: false } },
        audited("t-1", "oauth-client:c-1", "disabled"),
      ],
    },
    {
      decision: decideSetPrincipal(undefined, principal, actor, now),
      writes: [{ kind: "principal", principal }, audited("t-1", "principal:p-1", "activated")],
    },
    {
      decision: decideSetPrincipal(undefined, { ...principal, active: false }, actor, now),
      writes: [
        { kind: "principal", principal: { ...principal, active: false } },
        audited("t-1", "principal:p-1", "deactivated"),
      ],
    },
  ])("writes the audit event $writes.1.record.event", ({ decision, writes }) => {
    expect(decision.writes).toEqual(writes);
  });
});
