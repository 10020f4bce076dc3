import { generateKeyPairSync } from "node:crypto";
import type { ExchangeMcpOauthDeviceAuthorizationResponseJson } from "@platform-rpc/types";
import { calculateJwkThumbprint, decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { deleteScope, seeder, startPlatform } from "./start-platform.js";

const test = await startPlatform();
afterAll(test.close);
const { operations } = test.platform;

async function start(popPublicJwk = "") {
  const input = { tenantId: "t-1", oauthClientId: "c-1", scopes: [deleteScope], popPublicJwk };
  const started = await operations.startDeviceAuthorization(input, seeder);
  if (!started.ok) throw new Error(started.reason);
  return started;
}
async function approved(popPublicJwk?: string) {
  const { deviceCode, userCode } = await start(popPublicJwk);
  const approver = { tenantId: "t-1", principalId: "p-member", userCode };
  await operations.answerDeviceAuthorization(approver, { approve: [deleteScope] }, seeder);
  return deviceCode;
}

it("RFC 7638 and RFC 7800: popKeyId and cnf.jkt contain the key that the start named; tokenType stays Bearer", async () => {
  const jwk = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  const deviceCode = await approved(JSON.stringify(jwk));
  const body: ExchangeMcpOauthDeviceAuthorizationResponseJson = JSON.parse((await test.exchange({ deviceCode })).body);
  const { tokenType, accessToken = "", brokerToken } = body;
  const { kty = "", crv = "", x = "" } = jwk;
  const thumbprint = await calculateJwkThumbprint({ kty, crv, x });
  expect({ tokenType, popKeyId: brokerToken?.popKeyId }).toEqual({ tokenType: "Bearer", popKeyId: thumbprint });
  expect(decodeJwt(brokerToken?.accessToken ?? "")).toMatchObject({ cnf: { jkt: thumbprint } });
  expect(decodeJwt(accessToken)).not.toHaveProperty("cnf");
});

// What an exchange answers is in testing/cases.
it("DECISIONS 2: every response has all fields, and a retry with the same Idempotency-Key gets the same tokens", async () => {
  const fields = ["status", "tokenType", "accessToken", "expiresInSeconds", "intervalSeconds"];
  const pending: object = JSON.parse((await test.exchange({ deviceCode: (await start()).deviceCode })).body);
  expect(Object.keys(pending)).toEqual([...fields, "message"]);
  const headers = { "Idempotency-Key": "0192f0c1-5a3e-7000-8000-0123456789ab" };
  const deviceCode = await approved();
  const answer = await test.exchange({ deviceCode }, {}, { headers });
  expect(answer.header("cache-control")).toBe("no-store");
  expect(Object.keys(JSON.parse(answer.body))).toEqual([...fields, "brokerToken", "message"]);
  expect((await test.exchange({ deviceCode }, {}, { headers })).body).toBe(answer.body);
  expectRpcError(await test.exchange({ deviceCode }), "DEVICE_CODE_CONSUMED");
});

describe("DECISIONS 4: errors of an exchange", () => {
  it("a code of another caller returns the same bytes as an unknown code, whatever its state", async () => {
    const headers = { "X-Request-Id": "r-1" };
    const unknown = await test.exchange({ deviceCode: "pdc_unknown" }, {}, { headers });
    expectRpcError(unknown, "DEVICE_CODE_INVALID");
    for (const deviceCode of [(await start()).deviceCode, await approved()]) {
      for (const foreign of [{ oauthClientId: "c-2" }, { tenantId: "t-2" }]) {
        const { status, body } = await test.exchange({ deviceCode }, foreign, { headers });
        expect({ status, body }).toEqual({ status: 404, body: unknown.body });
      }
    }
  });

  it.each([
    ["x".repeat(15), "INVALID_FIELD"],
    ["x".repeat(16), "DEVICE_CODE_INVALID"],
    ["x".repeat(129), "INVALID_FIELD"],
    ["schlüssel-schlüssel", "INVALID_FIELD"],
    ["", "INVALID_FIELD"],
  ] as const)("Idempotency-Key is 16 to 128 visible ASCII characters: %j is %s", async (key, reason) => {
    const answer = await test.exchange({ deviceCode: "pdc_x" }, {}, { headers: { "Idempotency-Key": key } });
    const { details } = expectRpcError(answer, reason);
    if (reason === "INVALID_FIELD") expect(JSON.stringify(details[1]?.debug)).toContain('"field":"Idempotency-Key"');
  });
});
