import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createSecrets } from "../tokens/secrets.js";
import { createTokenVerifier } from "../tokens/verifier.js";
import type { Call } from "./call.js";
import { createAccessOperations } from "./manage-access.js";

const principal = { tenantId: "t-1", principalId: "p-1" };
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
  return {
    clock,
    verifier,
    issue: (lifeSeconds = 0, scopes = ["b", "a", "b"]) =>
      operations.issueAccessToken({ ...principal, oauthClientId: "c-1", scopes, lifeSeconds }, admin),
    reissue: operations.reissueAccessToken,
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
  it("a token that is issued again has the same bytes, until it expires, and an unknown one is not issued", async () => {
    const { issue, reissue, clock } = await platform();
    const issued = await issue(60);
    clock.advance(59_000);
    expect(await reissue(issued.tokenId, admin)).toEqual(issued);
    clock.advance(1000);
    expect(await reissue(issued.tokenId, admin)).toBeUndefined();
    expect(await reissue("unknown", admin)).toBeUndefined();
  });
});
