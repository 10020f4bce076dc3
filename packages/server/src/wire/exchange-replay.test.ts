import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { deleteScope, seeder, startPlatform, type TestCaller } from "./start-platform.js";

const test = await startPlatform();
afterAll(test.close);
const { operations } = test.platform;
const approver = { tenantId: "t-1", principalId: "p-member" };
const key = "0192f0c1-5a3e-7000-8000-0123456789ab";

async function approved(): Promise<string> {
  const started = await operations.startDeviceAuthorization(
    { tenantId: "t-1", oauthClientId: "c-1", scopes: [deleteScope], popPublicJwk: "" },
    seeder,
  );
  if (!started.ok) throw new Error(started.reason);
  const { deviceCode, userCode } = started;
  await operations.answerDeviceAuthorization({ ...approver, userCode }, { approve: [deleteScope] }, seeder);
  return deviceCode;
}
const exchange = (deviceCode: string, idempotencyKey: string | undefined = key, caller: TestCaller = {}) =>
  test.exchange({ deviceCode }, caller, { headers: { "Idempotency-Key": idempotencyKey } });
const withoutKey = (deviceCode: string) => test.exchange({ deviceCode });

function claimsOf(body: string, token: "accessToken" | "brokerToken") {
  const { accessToken, brokerToken }: { accessToken: string; brokerToken: { accessToken: string } } = JSON.parse(body);
  return decodeJwt(token === "accessToken" ? accessToken : brokerToken.accessToken);
}

describe("DECISIONS 4: single use", () => {
  it("of 20 concurrent exchanges exactly one is approved", async () => {
    const deviceCode = await approved();
    const answers = await Promise.all(Array.from({ length: 20 }, () => withoutKey(deviceCode)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRpcError(answer, "DEVICE_CODE_CONSUMED");
  });

  it("20 concurrent exchanges with one Idempotency-Key return the same bytes", async () => {
    const deviceCode = await approved();
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(deviceCode)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(answers[0]?.json()).toMatchObject({ status: "approved" });
  });
});

describe("DECISIONS 4: a retry with the same Idempotency-Key", () => {
  it.each(["accessToken", "brokerToken"] as const)(
    "fails after its %s was revoked, which revokes the whole grant",
    async (token) => {
      const deviceCode = await approved();
      const { body } = await exchange(deviceCode);
      await operations.revokeToken(claimsOf(body, token).jti ?? "", seeder);
      expectRpcError(await exchange(deviceCode), "DEVICE_CODE_CONSUMED");
      test.clock.advance(1000);
      const { accessToken }: { accessToken: string } = JSON.parse(body);
      const headers = { Authorization: `Bearer ${accessToken}` };
      expectRpcError(await test.send({ headers, body: {} }), "UNAUTHENTICATED");
    },
  );

  it("needs no token, code or key in plain text in the database", async () => {
    const deviceCode = await approved();
    const { body } = await exchange(deviceCode);
    const { accessToken, brokerToken }: { accessToken: string; brokerToken: { accessToken: string } } =
      JSON.parse(body);
    const stored = Buffer.from(test.database.serialize()).toString("latin1");
    expect(stored).toContain("grant");
    for (const secret of [deviceCode, key, accessToken, brokerToken.accessToken]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(secret.slice(-43));
    }
  });
});
