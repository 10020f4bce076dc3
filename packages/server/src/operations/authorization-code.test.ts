import { decodeJwt } from "jose";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NewRecord } from "../domain/record.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createProofKeys } from "../tokens/proof-keys.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createOperations } from "./operations.js";

const deleteItem = "platform.v1.VaultService/DeleteItem";
const scope = "vault.items:delete";
const redirectUri = "http://127.0.0.1:4711/callback";
const codeVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const codeChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const approval = {
  tenantId: "t-1",
  principalId: "user-1",
  oauthClientId: "agent",
  scopes: [scope],
  redirectUri,
  codeChallenge,
  resource: "https://api.example",
  popKeyId: "",
  refreshable: true,
};
const request = { redirectUri, codeVerifier, resource: undefined, idempotencyKey: undefined, proofKeyId: "" };

function callOf(oauthClientId: string, principalId = ""): Call {
  const actor = { tenantId: "t-1", principalId, oauthClientId, tokenId: "", operation: "any", requestId: "r-1" };
  return { actor, wanted: () => true };
}
const agent = callOf("agent");
const person = callOf("", "user-1");

/** Creates the operations on an empty SQLite database in memory, with real keys and tokens, for a client and a person. */
async function platform() {
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
    requiredScopes: new Map([[deleteItem, [scope]]]),
  });
  const admin = callOf("console", "admin");
  const client = { tenantId: "t-1", oauthClientId: "agent", name: "Agent", enabled: true };
  await operations.setOauthClient({ ...client, allowedOperations: [deleteItem] }, admin);
  await operations.setPrincipal({ tenantId: "t-1", principalId: "user-1", active: true }, admin);
  return { ...operations, clock };
}

describe("an authorization code", () => {
  it("is redeemed for signed tokens, and its refresh token for the next ones", async () => {
    const { issueAuthorizationCode, redeemAuthorizationCode, refreshTokens } = await platform();
    const code = (await issueAuthorizationCode(approval, person)) ?? "";
    const tokens = await redeemAuthorizationCode({ code, ...request }, agent);
    if (!tokens.ok) return expect.unreachable(tokens.reason);
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ sub: "user-1", scope, aud: "api" });
    const { refreshToken = "" } = tokens;
    const next = await refreshTokens({ refreshToken, proofKeyId: "", scopes: undefined }, agent);
    expect(next).toMatchObject({ ok: true, grant: { scopes: [scope] } });
  });

  it("is redeemed again only with what identifies the retry", async () => {
    const { issueAuthorizationCode, redeemAuthorizationCode } = await platform();
    const code = (await issueAuthorizationCode(approval, person)) ?? "";
    const redeem = (idempotencyKey: string | undefined) =>
      redeemAuthorizationCode({ code, ...request, idempotencyKey }, agent);
    const first = await redeem("0123456789abcdef");
    expect(first.ok).toBe(true);
    expect(await redeem("0123456789abcdef")).toEqual(first);
    expect(await redeem("fedcba9876543210")).toEqual({ ok: false, reason: "CODE_REUSED" });
    expect(await redeem("0123456789abcdef")).toEqual({ ok: false, reason: "CODE_REUSED" });
  });

  it("is worth nothing with another verifier, with a changed character, or as a text that is no code", async () => {
    const { issueAuthorizationCode, redeemAuthorizationCode } = await platform();
    const code = (await issueAuthorizationCode(approval, person)) ?? "";
    const invalid = { ok: false, reason: "CODE_INVALID" };
    expect(await redeemAuthorizationCode({ code, ...request, codeVerifier: `${codeVerifier}x` }, agent)).toEqual(
      invalid,
    );
    const changed = code.slice(0, -1) + (code.endsWith("A") ? "B" : "A");
    for (const other of [changed, "", "pac_x", "prt_x"]) {
      expect(await redeemAuthorizationCode({ code: other, ...request }, agent)).toEqual(invalid);
    }
    expect(await redeemAuthorizationCode({ code, ...request }, agent)).toMatchObject({ ok: true });
  });

  it("is issued together with what it uses up, or not at all", async () => {
    const { issueAuthorizationCode, getRecord, putRecord, clock } = await platform();
    const ref = { collection: "authorization-request", key: "request-1" };
    const owner = { tenantId: "t-1", principalId: "", oauthClientId: "agent" };
    const wanted: NewRecord = {
      ...ref,
      ...owner,
      value: "{}",
      createdAt: clock.now(),
      expiresAt: clock.now() + 60_000,
    };
    await putRecord({ record: wanted, expectedRevision: 0 }, person);
    const puts = [{ record: { ...wanted, expiresAt: clock.now() }, expectedRevision: 1 }];
    expect(await issueAuthorizationCode({ ...approval, puts }, person)).toMatch(/^pac_/);
    expect(await getRecord(ref, person)).toBeUndefined();
    expect(await issueAuthorizationCode({ ...approval, puts }, person)).toBeUndefined();
  });
});
