import { decodeJwt } from "jose";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuessLimiter } from "../limits/guess-limiter.js";
import type { Secrets } from "../ports/secrets.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createProofKeys } from "../tokens/proof-keys.js";
import { createSecrets } from "../tokens/secrets.js";
import { createTokenVerifier } from "../tokens/verifier.js";
import { createAnswerDeviceAuthorization, createGetDeviceAuthorization } from "./answer-device-authorization.js";
import type { Call } from "./call.js";
import { createExchangeDeviceCode } from "./exchange-device-code.js";
import { createLimitGuesses } from "./limit-guesses.js";
import { createRevokeToken, createSetOauthClient, createSetPrincipal } from "./manage-access.js";
import { createStartDeviceAuthorization } from "./start-device-authorization.js";

const deleteItem = "platform.v1.VaultService/DeleteItem";
const user = { tenantId: "t-1", principalId: "user-1" };

function callOf(principalId: string, oauthClientId = "agent", tenantId = "t-1"): Call {
  const actor = { tenantId, principalId, oauthClientId, tokenId: "jti-1", operation: "any", requestId: "r-1" };
  return { actor, wanted: () => true };
}
const admin = callOf("admin", "console");
const agent = callOf("agent-1");

/** Creates the device authorization flow on an empty SQLite database in memory, with real keys and tokens. */
async function flow(overrides: Partial<Secrets> = {}) {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const issuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
  const verifierFor = (audience: string) => createTokenVerifier({ keyRing, issuer: "iss", audience, clock });
  const secrets = { ...createSecrets({ hmacKey: keyRing.hmacKey, clock }), ...overrides };
  const deps = { storage, clock, secrets };
  const limited = createLimitGuesses({ guesses: createGuessLimiter({ clock }) });
  const start = createStartDeviceAuthorization({ ...deps, proofKeys: createProofKeys() });
  const answer = limited(createAnswerDeviceAuthorization(deps));
  const exchangeCode = createExchangeDeviceCode({
    ...deps,
    issuer,
    requiredScopes: new Map([[deleteItem, ["vault.items:delete"]]]),
  });
  const setPrincipal = createSetPrincipal(deps);
  await createSetOauthClient(deps)(
    { tenantId: "t-1", oauthClientId: "agent", name: "Agent", allowedOperations: [deleteItem], enabled: true },
    admin,
  );
  await setPrincipal({ ...user, active: true }, admin);

  const begin = async (popPublicJwk = "", scopes = ["vault.items:delete", "elsewhere"]) => {
    const started = await start({ tenantId: "t-1", oauthClientId: "agent", scopes, popPublicJwk }, admin);
    return started.ok ? started : expect.unreachable(started.reason);
  };
  return {
    clock,
    storage,
    start,
    begin,
    setPrincipal,
    revoke: createRevokeToken(deps),
    get: limited(createGetDeviceAuthorization(deps)),
    answer,
    approve: (userCode: string, scopes = ["vault.items:delete"]) =>
      answer({ ...user, userCode }, { approve: scopes }, admin),
    exchange: (deviceCode: string, idempotencyKey?: string, call = agent) =>
      exchangeCode({ deviceCode, idempotencyKey }, call),
    verify: (audience: string, token: string) => verifierFor(audience).verify(token),
  };
}

type Exchanged = Awaited<ReturnType<Awaited<ReturnType<typeof flow>>["exchange"]>>;
const statusOf = (result: Exchanged) => (result.ok ? result.status : result.reason);

function tokensOf(result: Exchanged) {
  if (!result.ok || result.status !== "approved") return expect.unreachable(statusOf(result));
  return result;
}

describe("start, approve, exchange (RFC 8628 sections 3.1 to 3.5)", () => {
  it("returns two tokens of the approver for different audiences, and consumes the code", async () => {
    const { begin, approve, exchange, verify, clock } = await flow();
    const { deviceCode, userCode, intervalSeconds, expiresInSeconds } = await begin();
    expect({ intervalSeconds, expiresInSeconds }).toEqual({ intervalSeconds: 5, expiresInSeconds: 600 });
    expect(deviceCode).toMatch(/^pdc_[A-Za-z0-9_-]{43}$/);
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(statusOf(await exchange(deviceCode))).toBe("authorization_pending");
    expect(await approve(userCode.toLowerCase().replace("-", " "))).toEqual({ ok: true });

    const { grant, accessToken, brokerToken } = tokensOf(await exchange(deviceCode));
    const claims = {
      ...user,
      oauthClientId: "agent",
      grantId: grant.grantId,
      scopes: ["vault.items:delete"],
      expiresAt: clock.now() + 900_000,
    };
    expect(await verify("api", accessToken)).toEqual({ ...claims, tokenId: grant.accessTokenId });
    expect(await verify("broker", accessToken)).toBeUndefined();
    expect(await verify("api", brokerToken)).toBeUndefined();
    expect(decodeJwt(brokerToken)).toMatchObject({ jti: grant.brokerTokenId, aud: "broker", role: "agent" });
    expect(statusOf(await exchange(deviceCode))).toBe("DEVICE_CODE_CONSUMED");
  });

  it("binds the broker token to the proof-of-possession key of the start (RFC 7800)", async () => {
    const { begin, approve, exchange } = await flow();
    // The key of RFC 8037 appendix A.2; its thumbprint is that of appendix A.3.
    const jwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
    const { deviceCode, userCode } = await begin(JSON.stringify(jwk));
    await approve(userCode);
    const { accessToken, brokerToken } = tokensOf(await exchange(deviceCode));
    expect(decodeJwt(brokerToken)).toMatchObject({ cnf: { jkt: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" } });
    expect(decodeJwt(accessToken)).not.toHaveProperty("cnf");
  });

  it("rejects a start with an invalid proof-of-possession key", async () => {
    const { start } = await flow();
    const input = { tenantId: "t-1", oauthClientId: "agent", scopes: ["a"], popPublicJwk: "{}" };
    expect(await start(input, admin)).toEqual({ ok: false, reason: "POP_KEY_INVALID" });
  });
});

describe("DECISIONS section 4: user codes are unique among unexpired ones", () => {
  it("a collision generates another code; the code of an expired authorization can be used again", async () => {
    const letters = ["BBBBBBBB", "BBBBBBBB", "BBBBBBBB", "CCCCCCCC", "BBBBBBBB"];
    const { begin, clock, get } = await flow({ newUserCode: () => letters.shift() ?? expect.unreachable() });
    expect((await begin()).userCode).toBe("BBBB-BBBB");
    expect((await begin()).userCode).toBe("CCCC-CCCC");
    expect(letters).toEqual(["BBBBBBBB"]);

    clock.advance(600_000);
    const again = await begin("", ["again"]);
    expect(again.userCode).toBe("BBBB-BBBB");
    const shown = await get({ ...user, userCode: "BBBB-BBBB" }, admin);
    expect(shown).toMatchObject({ ok: true, status: "pending", authorization: { requestedScopes: ["again"] } });
  });
});

describe("DECISIONS section 4: single use", () => {
  it("returns the same tokens, byte for byte, to 20 concurrent exchanges with one key, for 60 s", async () => {
    const { begin, approve, exchange, clock } = await flow();
    const { deviceCode, userCode } = await begin();
    await approve(userCode);
    const results = await Promise.all(Array.from({ length: 20 }, () => exchange(deviceCode, "key-1")));
    const [first] = results;
    for (const result of results) expect(tokensOf(result)).toEqual(first);

    clock.advance(59_999);
    expect(await exchange(deviceCode, "key-1")).toEqual(first);
    expect(statusOf(await exchange(deviceCode, "key-2"))).toBe("DEVICE_CODE_CONSUMED");
    expect(statusOf(await exchange(deviceCode, "key-1", callOf("agent-2")))).toBe("DEVICE_CODE_CONSUMED");
    clock.advance(1);
    expect(statusOf(await exchange(deviceCode, "key-1"))).toBe("DEVICE_CODE_CONSUMED");
  });
});

describe("DECISIONS section 7: 5 wrong user codes for a principal, 50 for a tenant, in 10 minutes", () => {
  const wrong = { ok: false, reason: "USER_CODE_INVALID" };

  it("rejects the sixth attempt of a principal with the same error, even with the right code", async () => {
    const { begin, approve, clock, get } = await flow();
    const { userCode } = await begin();
    for (let miss = 0; miss < 5; miss += 1) expect(await approve("XXXX-XXXX")).toEqual(wrong);
    expect(await approve(userCode)).toEqual(wrong);
    expect(await get({ ...user, userCode }, admin)).toEqual(wrong);
    clock.advance(599_999);
    expect(await approve(userCode)).toEqual(wrong);
  });

  it("allows attempts again after 10 minutes", async () => {
    const { begin, approve, clock } = await flow();
    for (let miss = 0; miss < 5; miss += 1) await approve("XXXX-XXXX");
    clock.advance(600_000);
    expect(await approve((await begin()).userCode)).toEqual({ ok: true });
  });

  it("does not count right codes and other errors as misses", async () => {
    const { begin, approve, get } = await flow();
    const { userCode } = await begin();
    for (let look = 0; look < 10; look += 1) {
      expect(await get({ ...user, userCode }, admin)).toMatchObject({ ok: true });
      expect(await approve(userCode, ["not requested"])).toEqual({ ok: false, reason: "SCOPES_NOT_REQUESTED" });
    }
    expect(await approve(userCode)).toEqual({ ok: true });
  });

  it("limits concurrent attempts", async () => {
    const { begin, approve } = await flow();
    const { userCode } = await begin();
    const codes = [...Array(5).fill("XXXX-XXXX"), userCode];
    expect(await Promise.all(codes.map((code) => approve(code)))).toEqual(Array(6).fill(wrong));
  });

  it("50 misses block all principals of the tenant, and no other tenant", async () => {
    const { begin, answer, setPrincipal, approve } = await flow();
    const { userCode } = await begin();
    for (let n = 0; n < 50; n += 1) {
      const guesser = { tenantId: "t-1", principalId: `guesser-${n % 10}` };
      await setPrincipal({ ...guesser, active: true }, admin);
      expect(await answer({ ...guesser, userCode: "XXXX-XXXX" }, "deny", admin)).toEqual(wrong);
    }
    expect(await approve(userCode)).toEqual(wrong);

    const other = { tenantId: "t-2", principalId: "user-1" };
    expect(await answer({ ...other, userCode }, "deny", admin)).toEqual({ ok: false, reason: "PRINCIPAL_DISABLED" });
  });

  it("counts a code of another tenant as a miss", async () => {
    const { begin, approve, answer, setPrincipal } = await flow();
    const { userCode } = await begin();
    const stranger = { tenantId: "t-2", principalId: "user-1" };
    await setPrincipal({ ...stranger, active: true }, admin);
    expect(await answer({ ...stranger, userCode }, "deny", admin)).toEqual(wrong);
    expect(await approve(userCode)).toEqual({ ok: true });
  });
});
