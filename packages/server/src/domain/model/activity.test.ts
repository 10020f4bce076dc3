import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayView } from "./activity.js";
import type { AuditRow } from "./audit-seal.js";

const viewer = {
  tenantId: "t-1",
  principalId: "ada",
  managedVaults: new Set(["v-1"]),
  refreshFamilies: new Set(["f-1"]),
};

function rowOf(changes: Partial<AuditRow>): AuditRow {
  const actor = { tenantId: "t-1", principalId: "eve", oauthClientId: "c-1", tokenId: "jti", operation: "o" };
  const change = { subjectTenantId: "t-1", subject: "clock", event: "tested", versionBefore: 0, versionAfter: 0 };
  return { ...actor, ...change, requestId: "r-1", position: 1, at: 1, ...changes };
}

describe("a principal sees", () => {
  it.each([
    ["their own act, whatever it changed", { principalId: "ada", subject: "item:v-9/i-1" }],
    ["an act of another member in a vault that they manage", { subject: "item:v-1/i-1" }],
    ["the creation of a vault that they manage", { subject: "vault:v-1" }],
    ["a change of their own role", { subject: "member:v-9/ada" }],
    ["what was done to their account", { principalId: "", subject: "account:ada" }],
    ["their sessions", { principalId: "", subject: "session:ada/abc" }],
    ["the answer to a request for access", { principalId: "", subject: "device-authorization:agent/ada" }],
    ["such an answer to a client with a URL", { subject: "device-authorization:https://c.example/m.json/ada" }],
    ["what happened to software that they approved", { principalId: "", subject: "refresh-family:f-1" }],
  ])("%s", (_, changes) => {
    expect(mayView(rowOf(changes), viewer)).toBe(true);
  });
});

describe("a principal does not see", () => {
  it.each([
    ["an act of another member in a vault that they do not manage", { subject: "item:v-9/i-1" }],
    ["a vault whose id begins with that of theirs", { subject: "item:v-10/i-1" }],
    ["a vault whose id is that of their item", { subject: "item:v-9/v-1" }],
    ["an item whose id is theirs, in a vault that they do not manage", { subject: "item:v-9/ada" }],
    ["another account", { subject: "account:adam" }],
    ["passkeys of another account", { subject: "passkey:eve/ada" }],
    ["the roles of others in other vaults", { subject: "member:v-9/bob" }],
    ["software of others", { subject: "refresh-family:f-2" }],
    ["a request for access that nobody answered", { event: "started", subject: "device-authorization:x/ada" }],
    ["the answer of another person", { subject: "device-authorization:agent/bob" }],
    ["grants of others", { subject: "grant:g-1" }],
    ["OAuth clients", { subject: "oauth-client:agent" }],
    ["an unknown kind of subject", { subject: "new:v-1" }],
    ["a principal of another tenant with the same id", { tenantId: "t-2", principalId: "ada" }],
  ])("%s", (_, changes) => {
    expect(mayView(rowOf(changes), viewer)).toBe(false);
  });

  it("anything about the data of another tenant", () => {
    const id = fc.constantFrom("ada", "v-1", "f-1", "eve");
    const kind = fc.constantFrom("item", "vault", "member", "account", "passkey", "session", "refresh-family");
    const rows = fc
      .record({ kind, one: id, other: id, by: id })
      .map(({ kind, one, other, by }) =>
        rowOf({ subjectTenantId: "t-2", subject: `${kind}:${one}/${other}`, principalId: by }),
      );
    fc.assert(fc.property(rows, (row) => !mayView(row, viewer)));
  });
});
