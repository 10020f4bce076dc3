import { describe, expect, it } from "vitest";
import { oauthClientOf } from "../../testing/access-values.js";
import { type AccessState, accessKeys, allowlisted, isTokenValid, missingScopes, subjectLinks } from "./access.js";

const operation = "platform.v1.VaultService/DeleteItem";
const oauthClient = oauthClientOf({ allowedOperations: [operation] });
const valid: AccessState = { oauthClient, principalActive: true, revoked: false };

describe("DECISIONS section 5: tokens, the allowlist and scopes, deny by default", () => {
  it.each([
    { access: valid, answer: true },
    { access: { ...valid, revoked: true }, answer: false },
    { access: { ...valid, principalActive: false }, answer: false },
  ])("a token is valid while it is not revoked and its principal is active: $answer", ({ access, answer }) => {
    expect(isTokenValid(access, 0)).toBe(answer);
  });

  it.each([
    { name: "allowlisted", client: oauthClient, answer: true },
    { name: "unknown", client: undefined, answer: false },
    { name: "disabled", client: { ...oauthClient, enabled: false }, answer: false },
    { name: "allowed nothing", client: { ...oauthClient, allowedOperations: [] }, answer: false },
    {
      name: "allowed a wildcard, which does not exist",
      client: { ...oauthClient, allowedOperations: ["*"] },
      answer: false,
    },
    {
      name: "allowed the operation of another service",
      client: { ...oauthClient, allowedOperations: ["platform.v2.VaultService/DeleteItem"] },
      answer: false,
    },
  ])("an OAuth client that is $name may call the operation: $answer", ({ client, answer }) => {
    expect(allowlisted({ ...valid, oauthClient: client }, operation)).toBe(answer);
  });

  it.each([
    { held: ["vault.items:delete"], missing: [] },
    { held: ["vault.items:delete", "other"], missing: [] },
    { held: [], missing: ["vault.items:delete"] },
    { held: ["vault.items:*", "*", "vault.items", "vault.items:Delete"], missing: ["vault.items:delete"] },
  ])("matches scopes exactly: $held lacks $missing", ({ held, missing }) => {
    expect(missingScopes(held, { operation, requiredScopes: ["vault.items:delete"] })).toEqual(missing);
  });
});

describe("the records that are read together", () => {
  it("are the principal and the OAuth client of a record, if it has them", () => {
    const principal = ["principal", "p-1"];
    const client = ["oauth-client", "c-1"];
    expect(subjectLinks({ principalId: "p-1", oauthClientId: "c-1" })).toEqual([principal, client]);
    expect(subjectLinks({ principalId: "", oauthClientId: "c-1" })).toEqual([client]);
    expect(subjectLinks({ principalId: undefined, oauthClientId: "" })).toEqual([]);
  });

  it.each([
    ["of this platform: its grant and the revocation of that", "g-1", ["t-1 grant g-1", "t-1 revocation g-1"]],
    ["of another issuer: its own revocation", "", ["- revocation jti-1"]],
  ])("are the subjects of a token %s", (_, grantId, rest) => {
    const ref = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1", tokenId: "jti-1", grantId };
    const keys = accessKeys(ref).map(({ tenantId, collection, key }) => `${tenantId} ${collection} ${key}`);
    expect(keys).toEqual(["t-1 oauth-client c-1", "t-1 principal p-1", ...rest]);
  });
});
