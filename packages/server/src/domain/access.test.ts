import { describe, expect, it } from "vitest";
import { type AccessState, allowlisted, missingScopes, tokenStands } from "./access.js";
import { normalizeScopes } from "./grant.js";

const operation = "platform.v1.VaultService/DeleteItem";
const oauthClient = { tenantId: "t-1", oauthClientId: "c-1", name: "", allowedOperations: [operation], enabled: true };
const stands: AccessState = { oauthClient, principalActive: true, revoked: false };

describe("DECISIONS section 5: tokens, the allowlist and scopes, deny by default", () => {
  it.each([
    { access: stands, answer: true },
    { access: { ...stands, revoked: true }, answer: false },
    { access: { ...stands, principalActive: false }, answer: false },
  ])("a token stands while it is not revoked and its principal is active: $answer", ({ access, answer }) => {
    expect(tokenStands(access)).toBe(answer);
  });

  it.each([
    { name: "allowlisted", client: oauthClient, answer: true },
    { name: "not known", client: undefined, answer: false },
    { name: "disabled", client: { ...oauthClient, enabled: false }, answer: false },
    { name: "allowed nothing", client: { ...oauthClient, allowedOperations: [] }, answer: false },
    {
      name: "allowed all by a wildcard, which is none",
      client: { ...oauthClient, allowedOperations: ["*"] },
      answer: false,
    },
    {
      name: "allowed the operation of another service",
      client: { ...oauthClient, allowedOperations: ["platform.v2.VaultService/DeleteItem"] },
      answer: false,
    },
  ])("an OAuth client that is $name: $answer", ({ client, answer }) => {
    expect(allowlisted({ ...stands, oauthClient: client }, operation)).toBe(answer);
  });

  it.each([
    { held: ["vault.items:delete"], missing: [] },
    { held: ["vault.items:delete", "other"], missing: [] },
    { held: [], missing: ["vault.items:delete"] },
    { held: ["vault.items:*", "*", "vault.items", "vault.items:Delete"], missing: ["vault.items:delete"] },
  ])("scopes match exactly: $held lacks $missing", ({ held, missing }) => {
    expect(missingScopes(held, { operation, requiredScopes: ["vault.items:delete"] })).toEqual(missing);
  });

  it("scopes are kept sorted, each once", () => {
    expect(normalizeScopes(["b", "a", "b", "B"])).toEqual(["B", "a", "b"]);
  });
});
