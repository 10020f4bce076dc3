import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { everyOperation, seeder, startPlatform, type TestCaller } from "./start-platform.js";

const test = await startPlatform();
afterAll(test.close);
const { operations } = test.platform;
const body = { vaultId: "v-1", itemId: "i-missing", baseVersion: 1 };
/** The response to an admitted caller. */
const admitted = "ITEM_NOT_FOUND";
const withToken = (accessToken: string) => test.send({ body, headers: { Authorization: `Bearer ${accessToken}` } });
const withHeader = (Authorization: string | readonly string[] | undefined) =>
  test.send({ body, headers: { Authorization } });
const issue = async (caller: TestCaller = {}) => (await test.issue(caller)).accessToken;

const setClient = (oauthClientId: string, allowedOperations: readonly string[], enabled = true) =>
  operations.setOauthClient({ tenantId: "t-1", oauthClientId, name: "C", allowedOperations, enabled }, seeder);

const token = await issue();
const tokenOfUnknownPrincipal = await issue({ principalId: "p-unset" });

// Further headers are in services/admission.test.ts, further tokens in tokens/verifier.test.ts, and further clients in domain/model/access.test.ts.
describe("DECISIONS 5: UNAUTHENTICATED, one message for all", () => {
  const presented = 'Bearer error="invalid_token"';
  const [head = "", claims = "", signature = ""] = token.split(".");
  const forged = Buffer.from(claims, "base64url").toString().replace("p-owner", "p-admin");

  it.each([
    ["no token", undefined, "Bearer"],
    ["two Authorization headers", [`Bearer ${token}`, `Bearer ${token}`], presented],
    ["a changed claim", `Bearer ${head}.${Buffer.from(forged).toString("base64url")}.${signature}`, presented],
    ["a token for a principal that does not exist", `Bearer ${tokenOfUnknownPrincipal}`, presented],
    ["a token of 9 kB", `Bearer ${token}${"x".repeat(9000)}`, presented],
  ])("%s", async (_, authorization, challenge) => {
    const answer = await withHeader(authorization);
    const { message } = expectRpcError(answer, "UNAUTHENTICATED");
    expect(message).toBe("A valid access token is required: `Authorization: Bearer <ACCESS_TOKEN>`. Get a new token.");
    expect(answer.header("www-authenticate")).toBe(challenge);
  });
});

describe("DECISIONS 5: revocation, policy and principals take effect within 1 s", () => {
  const caller = { principalId: "p-admin" };
  const changes = {
    "the token is revoked": async (tokenId: string) => operations.revokeToken(tokenId, seeder),
    "the principal is deactivated": async () =>
      operations.setPrincipal({ tenantId: "t-1", ...caller, active: false }, seeder),
    "the client is disabled": async () => setClient("c-2", everyOperation, false),
    "the operation is removed from the allowlist": async () => setClient("c-2", []),
  };
  it.each(Object.entries(changes))("%s", async (what, change) => {
    await setClient("c-2", everyOperation);
    await operations.setPrincipal({ tenantId: "t-1", ...caller, active: true }, seeder);
    const { accessToken, tokenId } = await test.issue({ ...caller, oauthClientId: "c-2" });
    expectRpcError(await withToken(accessToken), admitted);
    await change(tokenId);
    test.clock.advance(1000);
    const reason =
      what.startsWith("the token") || what.startsWith("the principal") ? "UNAUTHENTICATED" : "TOKEN_NOT_ALLOWLISTED";
    expectRpcError(await withToken(accessToken), reason);
  });
});

describe("DECISIONS 7: user codes are limited for callers, not for the application itself", () => {
  it("operations reject a caller after 5 wrong codes, own operations do not", async () => {
    const limited = await startPlatform({ limited: true });
    onTestFinished(limited.close);
    const { operations, own } = limited.platform;
    const wanted = { tenantId: "t-1", oauthClientId: "c-1", scopes: ["vault.items:delete"], popPublicJwk: "" };
    const started = await operations.startDeviceAuthorization(wanted, seeder);
    const { userCode } = started.ok ? started : expect.unreachable(started.reason);
    const asked = { tenantId: "t-1", principalId: "p-owner", userCode };
    for (let miss = 0; miss < 20; miss += 1) {
      expect(await own.getDeviceAuthorization({ ...asked, userCode: "XXXX-XXXX" }, seeder)).toMatchObject({
        ok: false,
      });
    }
    expect(await operations.getDeviceAuthorization(asked, seeder)).toMatchObject({ ok: true });
    for (let miss = 0; miss < 5; miss += 1) {
      await operations.answerDeviceAuthorization({ ...asked, userCode: "XXXX-XXXX" }, "deny", seeder);
    }
    const invalid = { ok: false, reason: "USER_CODE_INVALID" };
    expect(await operations.getDeviceAuthorization(asked, seeder)).toEqual(invalid);
    expect(await operations.answerDeviceAuthorization(asked, "deny", seeder)).toEqual(invalid);
    expect(await own.answerDeviceAuthorization(asked, "deny", seeder)).toEqual({ ok: true });
  });
});
