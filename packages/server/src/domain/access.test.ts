import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import { type AccessState, allowlisted, isTokenValid, missingScopes } from "./access.js";
import { normalizeScopes } from "./grant.js";

const operation = "platform.v1.VaultService/DeleteItem";
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "",
  allowedOperations: [operation],
  ...withoutCodeGrant,
  enabled: true,
  registeredAt: 0,
  registeredBy: "",
};
const valid: AccessState = { oauthClient, principalActive: true, revoked: false };

describe("DECISIONS section 5: tokens, the allowlist and scopes, deny by default", () => {
  it.each([
    { access: valid, answer: true },
    { access: { ...valid, revoked: true }, answer: false },
    { access: { ...valid, principalActive: false }, answer: false },
  ])("a token is valid while it is not revoked and its principal is active: $answer", ({ access, answer }) => {
    expect(isTokenValid(access)).toBe(answer);
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

  it("sorts scopes and removes duplicates", () => {
    expect(normalizeScopes(["b", "a", "b", "B"])).toEqual(["B", "a", "b"]);
  });
});
