import { describe, expect, it, onTestFinished } from "vitest";
import { allowlisted, isTokenValid } from "../domain/model/access.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createSecrets } from "../tokens/secrets.js";
import { createTokenVerifier } from "../tokens/verifier.js";
import type { Call } from "./call.js";
import { createAccessOperations } from "./manage-access.js";
import { readAccess } from "./read-access.js";

const principal = { tenantId: "t-1", principalId: "p-1" };
const operation = "platform.v1.VaultService/DeleteItem";
const oauthClient = { tenantId: "t-1", oauthClientId: "c-1", name: "", allowedOperations: [operation], enabled: true };
const admin: Call = {
  actor: { tenantId: "t-0", principalId: "a", oauthClientId: "c", tokenId: "jti", operation: "any", requestId: "r-1" },
  wanted: () => true,
};

/** Creates the operations on an empty SQLite database in memory, with real keys and tokens. */
async function platform() {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const issuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
  const verifier = createTokenVerifier({ keyRing, issuer: "iss", audience: "api", clock });
  const deps = { storage, clock, issuer, secrets: createSecrets({ hmacKey: keyRing.hmacKey, clock }) };
  const operations = createAccessOperations(deps);
  const access = async (token: string) => {
    const claims = await verifier.verify(token);
    return claims === undefined ? expect.unreachable("the token is invalid") : readAccess(storage, claims);
  };
  return {
    clock,
    verifier,
    issue: (lifeSeconds = 0, scopes = ["b", "a", "b"]) =>
      operations.issueAccessToken({ ...principal, oauthClientId: "c-1", scopes, lifeSeconds }, admin),
    reissue: operations.reissueAccessToken,
    revoke: operations.revokeToken,
    setOauthClient: operations.setOauthClient,
    setPrincipal: operations.setPrincipal,
    access,
    isValid: async (token: string) => isTokenValid(await access(token), clock.now()),
  };
}

describe("IssueAccessToken (INTERNAL)", () => {
  it.each([
    { asked: 0, life: 900 },
    { asked: 60, life: 60 },
  ])("a token with lifeSeconds $asked expires after $life s, to the second", async ({ asked, life }) => {
    const { issue, verifier, clock } = await platform();
    clock.advance(400);
    const { accessToken, tokenId, expiresAt } = await issue(asked);
    expect(await verifier.verify(accessToken)).toMatchObject({
      ...principal,
      oauthClientId: "c-1",
      tokenId,
      expiresAt,
      scopes: ["a", "b"],
    });
    expect(expiresAt).toBe(Math.floor(clock.now() / 1000) * 1000 + life * 1000);
    clock.advance(expiresAt - clock.now() - 1);
    expect(await verifier.verify(accessToken)).toBeDefined();
    clock.advance(1);
    expect(await verifier.verify(accessToken)).toBeUndefined();
  });
});

describe("DECISIONS section 4: no token is stored: it is signed again from its grant", () => {
  it("a token that is issued again has the same bytes, until it expires", async () => {
    const { issue, reissue, clock } = await platform();
    const issued = await issue(60);
    clock.advance(59_000);
    expect(await reissue(issued.tokenId, admin)).toEqual(issued);
    clock.advance(1000);
    expect(await reissue(issued.tokenId, admin)).toBeUndefined();
  });

  it("an unknown token is not issued, and one that was revoked stays revoked", async () => {
    const { issue, reissue, revoke, isValid, setPrincipal } = await platform();
    await setPrincipal({ ...principal, active: true }, admin);
    const { tokenId } = await issue();
    await revoke(tokenId, admin);
    const again = await reissue(tokenId, admin);
    expect(await isValid(again?.accessToken ?? "")).toBe(false);
    expect(await reissue("unknown", admin)).toBeUndefined();
  });
});

describe("DECISIONS section 5: revocation, policy and principals apply to the next call", () => {
  it("treats an unknown principal as inactive", async () => {
    const { issue, isValid, setPrincipal } = await platform();
    const { accessToken } = await issue();
    expect(await isValid(accessToken)).toBe(false);
    await setPrincipal({ ...principal, active: true }, admin);
    expect(await isValid(accessToken)).toBe(true);
    await setPrincipal({ ...principal, active: false }, admin);
    expect(await isValid(accessToken)).toBe(false);
  });

  it("allows an unknown OAuth client nothing", async () => {
    const { issue, access, setOauthClient } = await platform();
    const { accessToken } = await issue();
    expect(allowlisted(await access(accessToken), operation)).toBe(false);
    await setOauthClient(oauthClient, admin);
    expect(allowlisted(await access(accessToken), operation)).toBe(true);
    await setOauthClient({ ...oauthClient, enabled: false }, admin);
    expect(allowlisted(await access(accessToken), operation)).toBe(false);
  });

  it("revokes only the given token, and accepts unknown token ids (RFC 7009 section 2.2)", async () => {
    const { issue, isValid, revoke, setPrincipal } = await platform();
    await setPrincipal({ ...principal, active: true }, admin);
    const [one, other] = [await issue(), await issue()];
    await revoke("unknown", admin);
    expect(await isValid(one.accessToken)).toBe(true);
    await revoke(one.tokenId, admin);
    expect(await isValid(one.accessToken)).toBe(false);
    expect(await isValid(other.accessToken)).toBe(true);
  });
});
