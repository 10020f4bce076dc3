import { describe, expect, it, onTestFinished } from "vitest";
import { newFamily, refreshFamilies } from "../domain/model/refresh-family.js";
import { refOf } from "../ports/storage.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { commitWrites } from "../testing/storage-suite/rules.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createProofKeys } from "../tokens/proof-keys.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createOperations } from "./operations.js";
import type { RedeemDeviceCodeResult, RefreshTokensResult } from "./refresh-family.js";

const deleteItem = "platform.v1.VaultService/DeleteItem";
const person = { tenantId: "t-1", principalId: "user-1" };
const idempotencyKey = "0123456789abcdef";

function callOf(oauthClientId: string, principalId = "", tenantId = "t-1"): Call {
  const actor = { tenantId, principalId, oauthClientId, tokenId: "", operation: "any", requestId: "r-1" };
  return { actor, wanted: () => true };
}
const agent = callOf("agent");

/** Starts and approves a device authorization on an empty SQLite database in memory, with real keys and tokens. */
async function approved() {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const operations = createOperations({
    storage,
    clock,
    secrets: createSecrets({ hmacKey: keyRing.hmacKey, clock }),
    issuer: createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" }),
    proofKeys: createProofKeys(),
    requiredScopes: new Map([[deleteItem, ["vault.items:delete"]]]),
  });
  const admin = callOf("console", "admin");
  const client = { tenantId: "t-1", oauthClientId: "agent", name: "Agent", enabled: true };
  await operations.setOauthClient({ ...client, allowedOperations: [deleteItem] }, admin);
  await operations.setPrincipal({ ...person, active: true }, admin);
  const wanted = { tenantId: "t-1", oauthClientId: "agent", scopes: ["vault.items:delete"], popPublicJwk: "" };
  const started = await operations.startDeviceAuthorization(wanted, admin);
  if (!started.ok) return expect.unreachable(started.reason);
  const { deviceCode, userCode } = started;
  await operations.answerDeviceAuthorization({ ...person, userCode }, { approve: ["vault.items:delete"] }, admin);
  return {
    clock,
    operations,
    storage,
    redeem: (call = agent) => operations.redeemDeviceCode({ deviceCode, idempotencyKey, proofKeyId: "" }, call),
    refresh: (refreshToken: string) =>
      operations.refreshTokens({ refreshToken, proofKeyId: "", scopes: undefined }, agent),
  };
}

const statusOf = (result: RedeemDeviceCodeResult | RefreshTokensResult) => (result.ok ? result.status : result.reason);

function tokensOf(result: RedeemDeviceCodeResult | RefreshTokensResult) {
  return result.ok && result.status === "approved" ? result : expect.unreachable(statusOf(result));
}

describe("the refresh family of a redeemed device code", () => {
  it("is opened once: a retry of the redemption gets the same tokens until the family is used", async () => {
    const { redeem, refresh, operations, clock } = await approved();
    const first = tokensOf(await redeem());
    clock.advance(30_000);
    expect(await redeem()).toEqual(first);
    expect(await operations.listRefreshFamilies(person)).toHaveLength(1);
    await refresh(first.refreshToken);
    expect(statusOf(await redeem())).toBe("DEVICE_CODE_CONSUMED");
  });

  it("is not opened again after it was revoked: a retry gets no tokens", async () => {
    const { redeem, refresh, operations } = await approved();
    const { refreshToken } = tokensOf(await redeem());
    expect(await operations.revokeRefreshToken(refreshToken, agent)).toBe(true);
    expect(await operations.revokeRefreshFamily("unknown", agent)).toBe(true);
    expect(statusOf(await redeem())).toBe("DEVICE_CODE_CONSUMED");
    expect(statusOf(await refresh(refreshToken))).toBe("REFRESH_TOKEN_INVALID");
    expect(await operations.listRefreshFamilies(person)).toEqual([]);
  });
});

it("the families of a person are listed without those that have ended, however many they are, the newest first", async () => {
  const { redeem, operations, storage, clock } = await approved();
  const { grant } = tokensOf(await redeem());
  const past = 600;
  await Promise.all(
    Array.from({ length: past + 3 }, (_, n) => {
      // The current ones have the last keys.
      const grantId = `~${String(n).padStart(4, "0")}`;
      const family = newFamily({ ...grant, grantId }, clock.now() + n);
      const ended = n < past ? { ...family, expiresAt: clock.now() } : family;
      return storage.transact(refOf(), commitWrites([refreshFamilies.create(ended, clock.now())]));
    }),
  );
  const listed = await operations.listRefreshFamilies(person);
  expect(listed.map(({ familyId }) => familyId)).toEqual(["~0602", "~0601", "~0600", grant.grantId]);
});
