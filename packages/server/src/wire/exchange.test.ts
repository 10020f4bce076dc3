import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import type { ExchangeMcpOauthDeviceAuthorizationResponseJson } from "@platform-rpc/types";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { deleteScope, exchangeScope, seeder, startPlatform, tokenNames } from "./start-platform.js";

const test = await startPlatform();
afterAll(test.close);
const { operations } = test.platform;
const caller = { principalId: "p-stranger" };
const approver = { tenantId: "t-1", principalId: "p-member" };

async function start(scopes = [exchangeScope, deleteScope], popPublicJwk = "") {
  const started = await operations.startDeviceAuthorization(
    { tenantId: "t-1", oauthClientId: "c-1", scopes, popPublicJwk },
    seeder,
  );
  if (!started.ok) throw new Error(started.reason);
  return started;
}
async function approved(scopes?: string[], popPublicJwk?: string) {
  const started = await start(scopes, popPublicJwk);
  const approve = [deleteScope, exchangeScope];
  await operations.answerDeviceAuthorization(
    { ...approver, userCode: started.userCode },
    { approve: scopes ?? approve },
    seeder,
  );
  return started.deviceCode;
}
async function exchange(deviceCode: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await test.exchange({ deviceCode }, caller, { headers });
  expect(answer.status).toBe(200);
  expect(answer.header("cache-control")).toBe("no-store");
  const body: ExchangeMcpOauthDeviceAuthorizationResponseJson = JSON.parse(answer.body);
  return body;
}

describe("DECISIONS 4: the tokens of an approved code", () => {
  it("both tokens have the claims of the grant, and each has a different id", async () => {
    const { accessToken = "", brokerToken } = await exchange(await approved());
    const issuedAt = Math.floor(test.clock.now() / 1000);
    const shared = { iss: tokenNames.issuer, sub: "p-member", iat: issuedAt, exp: issuedAt + 900, client_id: "c-1" };
    expect(decodeJwt(accessToken)).toMatchObject({ ...shared, aud: tokenNames.audience });
    const claims = decodeJwt(brokerToken?.accessToken ?? "");
    expect(claims).toMatchObject({ ...shared, aud: tokenNames.brokerAudience, jti: brokerToken?.tokenId });
    expect(decodeJwt(accessToken).jti).not.toBe(claims.jti);
  });

  it("RFC 9068 and RFC 9864: tokens are at+jwt with Ed25519 and a published key; this API accepts the access token and rejects the broker token", async () => {
    const { accessToken = "", brokerToken } = await exchange(await approved());
    const [jwk] = test.platform.keyRing.jwks().keys;
    for (const token of [accessToken, brokerToken?.accessToken ?? ""]) {
      expect(decodeProtectedHeader(token)).toEqual({ typ: "at+jwt", alg: "Ed25519", kid: jwk?.kid });
      const [head, claims, signature = ""] = token.split(".");
      const key = createPublicKey({ format: "jwk", key: { ...jwk } });
      expect(verify(null, Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"))).toBe(true);
    }
    const body = { vaultId: "v-1", itemId: await test.putItem("i-agent"), baseVersion: 1 };
    const send = (token = "") => test.send({ body, headers: { Authorization: `Bearer ${token}` } });
    expect((await send(accessToken)).status).toBe(200);
    expectRpcError(await send(brokerToken?.accessToken), "UNAUTHENTICATED");
  });

  it("RFC 7638 and RFC 7800: popKeyId and cnf.jkt contain the proof-of-possession key; tokenType stays Bearer", async () => {
    const jwk = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    const {
      tokenType,
      accessToken = "",
      brokerToken,
    } = await exchange(await approved([deleteScope], JSON.stringify(jwk)));
    const { kty = "", crv = "", x = "" } = jwk;
    const thumbprint = await calculateJwkThumbprint({ kty, crv, x });
    expect({ tokenType, popKeyId: brokerToken?.popKeyId }).toEqual({ tokenType: "Bearer", popKeyId: thumbprint });
    expect(decodeJwt(brokerToken?.accessToken ?? "")).toMatchObject({ cnf: { jkt: thumbprint } });
    expect(decodeJwt(accessToken)).not.toHaveProperty("cnf");
  });
});

describe("DECISIONS 4: errors", () => {
  it("a code of another caller returns the same error as an unknown code, whatever its state", async () => {
    const unknown = await test.exchange({ deviceCode: "pdc_unknown" }, caller, { headers: { "X-Request-Id": "r-1" } });
    expectRpcError(unknown, "DEVICE_CODE_INVALID");
    for (const deviceCode of [(await start()).deviceCode, await approved()]) {
      for (const foreign of [{ oauthClientId: "c-2" }, { tenantId: "t-2" }]) {
        const answer = await test.exchange({ deviceCode }, foreign, { headers: { "X-Request-Id": "r-1" } });
        expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: unknown.body });
      }
    }
  });

  it.each([
    ["", "INVALID_FIELD"],
    ["x", "DEVICE_CODE_INVALID"],
    ["x".repeat(256), "DEVICE_CODE_INVALID"],
    ["\u{1F511}".repeat(256), "DEVICE_CODE_INVALID"],
    ["x".repeat(257), "INVALID_FIELD"],
  ] as const)("1 to 256 characters: %j is %s", async (deviceCode, reason) => {
    expectRpcError(await test.exchange({ deviceCode }, caller), reason);
  });

  it.each([
    ["x".repeat(15), "INVALID_FIELD"],
    ["x".repeat(16), "DEVICE_CODE_INVALID"],
    ["!~".repeat(64), "DEVICE_CODE_INVALID"],
    ["x".repeat(129), "INVALID_FIELD"],
    ["key with spaces in it", "INVALID_FIELD"],
    ["schlüssel-schlüssel", "INVALID_FIELD"],
    ["", "INVALID_FIELD"],
  ] as const)("Idempotency-Key is 16 to 128 visible ASCII characters: %j is %s", async (key, reason) => {
    const answer = await test.exchange({ deviceCode: "pdc_x" }, caller, { headers: { "Idempotency-Key": key } });
    const { details } = expectRpcError(answer, reason);
    if (reason === "INVALID_FIELD") expect(JSON.stringify(details[1]?.debug)).toContain('"field":"Idempotency-Key"');
  });

  it("reports all invalid fields and headers in one error", async () => {
    const answer = await test.exchange({}, caller, { headers: { "Idempotency-Key": "short" } });
    expect(expectRpcError(answer, "INVALID_FIELD").details[1]?.debug).toMatchObject({
      fieldViolations: [{ field: "deviceCode" }, { field: "Idempotency-Key" }],
    });
  });
});
