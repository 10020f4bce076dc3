import { describe, expect, it } from "vitest";
import { grantOf, oauthClientOf } from "../testing/access-values.js";
import { caseCaller } from "../testing/cases/storage-driver.js";
import { storedRecords } from "../testing/stored-records.js";
import {
  decideIssueAccessToken,
  decideRegisterOauthClient,
  decideRevokeToken,
  decideSetOauthClient,
  decideSetPrincipal,
} from "./manage-access.js";
import { decideCreateVault, decideSetVaultMember } from "./manage-vault.js";
import { oauthClients, principals, type RegisteredOauthClient } from "./model/access.js";
import { grantWrites, revocations } from "./model/grant.js";

const now = 1_700_000_000_000;
const actor = { ...caseCaller, tenantId: "platform", principalId: "admin" };
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
  const registered = { registeredAt: 5, registeredBy: "somebody" };
  const current: RegisteredOauthClient = {
    ...registration,
    ...registered,
    allowedOperations: ["A/B"],
    enabled: true,
  };
  const decide = (client: RegisteredOauthClient | undefined) => {
    const stored = client === undefined ? storedRecords() : storedRecords(oauthClients.create(client, 0));
    const { writes } = decideRegisterOauthClient(stored, { ...registration, approved: true }, actor, now);
    return { writes, written: oauthClients.find(storedRecords(...writes), "t-1", "c-1") };
  };

  it("is created enabled", () => {
    expect(decide(undefined).written).toMatchObject({ ...registration, enabled: true, registeredBy: "admin" });
  });

  it.each([
    ["its name", { name: "Old" }],
    ["its redirect URIs", { redirectUris: ["https://agent.example/callback"] }],
    ["the order of its redirect URIs", { redirectUris: [...registration.redirectUris].reverse() }],
    ["its grants", { grantTypes: [] }],
    ["whether it pushes its requests", { requirePushedAuthorizationRequests: false }],
  ])("changes %s, and keeps its allowlist", (_, before) => {
    expect(decide({ ...current, ...before }).written).toEqual(current);
  });

  it("stays unbounded if an administrator has made it so, and its document never does that", () => {
    expect(decide({ ...current, name: "Old", unbounded: true }).written).toEqual({ ...current, unbounded: true });
    const { writes } = decideRegisterOauthClient(
      storedRecords(),
      { ...registration, ...{ unbounded: true }, approved: true },
      actor,
      now,
    );
    expect(oauthClients.find(storedRecords(...writes), "t-1", "c-1")).not.toHaveProperty("unbounded");
  });

  it.each([
    ["it is disabled", { ...current, name: "Old", redirectUris: [], enabled: false }],
    ["it is registered so", current],
  ])("is not changed if %s", (_, client) => {
    expect(decide(client).writes).toEqual([]);
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

const grant = grantOf();

describe("RevokeToken (DECISIONS section 5: by jti, and by grant)", () => {
  const revoked = { tenantId: "t-1", subjectId: "g-1", principalId: "p-1", at: now, expiresAt: 901_000 };

  it("revokes every token of the grant of a token, once", () => {
    const stored = grantWrites(grant, 0);
    const { writes } = decideRevokeToken(storedRecords(...stored), "jti-b", actor, now);
    expect(writes).toEqual([revocations.create(revoked, now), audited("t-1", "grant:g-1", "revoked")]);
    const again = decideRevokeToken(storedRecords(...stored, ...writes), "jti-a", actor, now + 1);
    expect(again.writes.map(({ kind }) => kind)).toEqual(["audit"]);
  });

  it("revokes an unknown token too (RFC 7009 section 2.2)", () => {
    const { writes } = decideRevokeToken(storedRecords(), "foreign", actor, now);
    const foreign = { tenantId: "-", subjectId: "foreign", principalId: "", at: now, expiresAt: undefined };
    expect(writes).toEqual([revocations.create(foreign, now), audited("platform", "token:foreign", "revoked")]);
    const again = decideRevokeToken(storedRecords(...writes), "foreign", actor, now + 1);
    expect(again.writes.map(({ kind }) => kind)).toEqual(["audit"]);
  });
});

describe("IssueAccessToken, SetOauthClient, SetPrincipal: the writes and the audit record", () => {
  const registered = oauthClientOf({ allowedOperations: ["A/B", "A/C"], registeredAt: now, registeredBy: "admin" });
  const { registeredAt: _, registeredBy: __, ...oauthClient } = registered;
  const principal = { tenantId: "t-1", principalId: "p-1", active: true };

  it.each([
    {
      decision: decideIssueAccessToken(storedRecords(), grant, actor, now),
      writes: [...grantWrites(grant, now), audited("t-1", "grant:g-1", "granted")],
    },
    {
      decision: decideSetOauthClient(storedRecords(), oauthClient, actor, now),
      writes: [oauthClients.create(registered, now), audited("t-1", "oauth-client:c-1", "enabled for A/B A/C")],
    },
    {
      decision: decideSetOauthClient(
        storedRecords(),
        { ...oauthClient, redirectUris: ["app.x:/a", "app.x:/b"] },
        actor,
        now,
      ),
      writes: [
        oauthClients.create({ ...registered, redirectUris: ["app.x:/a", "app.x:/b"] }, now),
        audited("t-1", "oauth-client:c-1", "enabled for A/B A/C, redirects to app.x:/a app.x:/b"),
      ],
    },
    {
      decision: decideSetOauthClient(storedRecords(), { ...oauthClient, enabled: false }, actor, now),
      writes: [
        oauthClients.create({ ...registered, enabled: false }, now),
        audited("t-1", "oauth-client:c-1", "disabled"),
      ],
    },
    {
      decision: decideSetPrincipal(storedRecords(), principal, actor, now),
      writes: [principals.create(principal, now), audited("t-1", "principal:p-1", "activated")],
    },
    {
      decision: decideSetPrincipal(storedRecords(), { ...principal, active: false }, actor, now),
      writes: [principals.create({ ...principal, active: false }, now), audited("t-1", "principal:p-1", "deactivated")],
    },
  ])("writes what it stores, and the audit record: %#", ({ decision, writes }) => {
    expect(decision.writes).toEqual(writes);
  });

  it("keeps when and by whom an OAuth client was created when it replaces it", () => {
    const before = storedRecords(oauthClients.create({ ...registered, registeredAt: 5, registeredBy: "somebody" }, 5));
    const { writes } = decideSetOauthClient(before, { ...oauthClient, name: "Renamed" }, actor, now);
    const replaced = { ...oauthClient, name: "Renamed", registeredAt: 5, registeredBy: "somebody" };
    expect(oauthClients.find(storedRecords(...writes), "t-1", "c-1")).toEqual(replaced);
  });
});
