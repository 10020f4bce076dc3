import { ErrorReasonSchema } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import type { PublicReason } from "../../src/contract/contract.js";
import { lastSequence } from "../../src/domain/model/vault.js";
import { setSequence } from "../../src/storage/sqlite/testing/set-sequence.js";
import { delegate } from "./delegate.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { deleteScope, seeder, startPlatform } from "./start-platform.js";
import { createLatch, startStub } from "./start-stub.js";
import { has, ownConnections } from "./test-server.js";
import type { WireAnswer } from "./wire-answer.js";
import { exchangePath, requestBytes, type WireRequest } from "./wire-request.js";

const secret = "canary-in-an-error";
const latch = createLatch();
const test = await startPlatform({ limited: true });
const stub = await startStub(
  async ({ itemId }) => {
    if (itemId === "i-throws") throw new Error(secret);
    await latch.opened;
  },
  { limits: { receiveTimeoutMs: 300, drainMs: 300 } },
);
afterAll(async () => {
  latch.open();
  await Promise.all([test.close(), stub.close()]);
});

const { operations } = test.platform;
const { accessToken } = await test.issue();
const headers = { Authorization: `Bearer ${accessToken}` };
const call = (request: WireRequest) => test.send({ ...request, headers: { ...headers, ...request.headers } });
const stubbed = (itemId: string, more: WireRequest = {}) => stub.send({ body: { itemId }, ...more });
const remove = (itemId: string, baseVersion = 1, vaultId = "v-1") => call({ body: { vaultId, itemId, baseVersion } });

async function raw(bytes: string): Promise<WireAnswer> {
  const connection = stub.connect();
  connection.send(bytes);
  return connection.answer();
}

async function approvedCode(principalId: string): Promise<string> {
  const input = { tenantId: "t-1", oauthClientId: "c-1", scopes: [deleteScope], popPublicJwk: "" };
  const started = await operations.startDeviceAuthorization(input, seeder);
  if (!started.ok) throw new Error(started.reason);
  const { deviceCode, userCode } = started;
  const approver = { tenantId: "t-1", principalId, userCode };
  await operations.answerDeviceAuthorization(approver, { approve: [deleteScope] }, seeder);
  return deviceCode;
}

/** For each reason: a request that causes it, and further headers of its response. */
const cases: Readonly<
  Record<Exclude<PublicReason, "CANCELED">, readonly [() => Promise<WireAnswer>, Readonly<Record<string, string>>?]>
> = {
  INVALID_FIELD: [() => call({ body: {} })],
  MALFORMED_JSON: [() => call({ body: "{" })],
  PROTOCOL_VERSION_REQUIRED: [() => call({ headers: { "Connect-Protocol-Version": "2" } })],
  INVALID_TIMEOUT: [() => call({ headers: { "Connect-Timeout-Ms": "0" } })],
  TOKEN_IN_QUERY: [() => call({ target: `${exchangePath}?token=x` })],
  MALFORMED_HTTP: [() => raw("NONSENSE\r\n\r\n"), { connection: "close" }],
  UNAUTHENTICATED: [() => call({ headers: { Authorization: undefined } }), { "www-authenticate": "Bearer" }],
  TOKEN_NOT_ALLOWLISTED: [() => test.deleteItem({}, { oauthClientId: "c-unknown" })],
  INSUFFICIENT_SCOPE: [
    () => test.deleteItem({}, { scopes: [] }),
    { "www-authenticate": `Bearer error="insufficient_scope", scope="${deleteScope}"` },
  ],
  ROLE_FORBIDS_DELETE: [
    () => test.deleteItem({ vaultId: "v-1", itemId: "i-1", baseVersion: 1 }, { principalId: "p-viewer" }),
  ],
  PRINCIPAL_DISABLED: [
    async () => {
      const deviceCode = await approvedCode("p-member");
      await operations.setPrincipal({ tenantId: "t-1", principalId: "p-member", active: false }, seeder);
      return call({ target: exchangePath, body: { deviceCode } });
    },
  ],
  VAULT_NOT_FOUND: [() => remove("i-1", 1, "v-missing")],
  ITEM_NOT_FOUND: [() => remove("i-missing")],
  DEVICE_CODE_INVALID: [() => call({ target: exchangePath, body: { deviceCode: "pdc_unknown" } })],
  VERSION_CONFLICT: [async () => remove(await test.putItem("i-conflict"), 7)],
  DEVICE_CODE_CONSUMED: [
    async () => {
      const body = { deviceCode: await approvedCode("p-admin") };
      await call({ target: exchangePath, body });
      return call({ target: exchangePath, body });
    },
  ],
  SEQUENCE_EXHAUSTED: [
    async () => {
      await operations.createVault({ tenantId: "t-1", vaultId: "v-full", retentionDays: 30 }, seeder);
      const owner = { tenantId: "t-1", vaultId: "v-full", principalId: "p-owner", role: "owner" };
      await operations.setVaultMember(owner, seeder);
      setSequence(test.database, "t-1", "v-full", lastSequence - 1);
      await test.putItem("i-1", "v-full");
      return remove("i-1", 1, "v-full");
    },
  ],
  RATE_LIMITED: [
    async () => {
      for (;;) {
        const answer = await test.deleteItem({}, { principalId: "p-viewer" });
        if (answer.status === 429) return answer;
      }
    },
    { "retry-after": "1" },
  ],
  REQUEST_TOO_LARGE: [() => call({ body: "x".repeat(65_537) }), { connection: "close" }],
  HEADERS_TOO_LARGE: [() => stubbed("i-1", { headers: { "X-Long": "x".repeat(17_000) } }), { connection: "close" }],
  OPERATION_UNKNOWN: [() => call({ target: "/platform.internal.v1.VaultAdminService/PutItem" })],
  METHOD_NOT_ALLOWED: [() => call({ verb: "GET" }), { allow: "POST" }],
  REQUEST_TIMEOUT: [() => raw("POST / HTTP/1.1\r\n"), { connection: "close" }],
  MEDIA_TYPE_UNSUPPORTED: [
    () => call({ headers: { "Content-Type": "application/proto" } }),
    { "accept-post": "application/json" },
  ],
  EXPECTATION_FAILED: [() => call({ headers: { Expect: "tea" } })],
  INTERNAL: [() => stubbed("i-throws")],
  ENCODING_UNSUPPORTED: [() => call({ headers: { "Content-Encoding": "gzip" } })],
  UNAVAILABLE: [
    async () => {
      const draining = await startStub(() => latch.opened);
      const running = draining.connect();
      running.send(requestBytes({ body: {} }));
      while (draining.called.length === 0) await new Promise(setImmediate);
      const closed = draining.listener.close();
      const answer = await draining.send({ body: {} });
      running.destroy();
      await closed;
      return answer;
    },
    { "retry-after": "1", connection: "close" },
  ],
  DEADLINE_EXCEEDED: [() => stubbed("i-waits", { headers: { "Connect-Timeout-Ms": "5" } })],
  DELEGATION_EXHAUSTED: [
    async () => {
      const delegated = await delegate(test.platform, { maxDeletions: 0 });
      const body = { vaultId: "v-1", itemId: await test.putItem("i-kept"), baseVersion: 1 };
      return test.send({ headers: { Authorization: `Bearer ${delegated.accessToken}` }, body });
    },
  ],
};

/** What the ErrorInfo of a reason contains besides the request id. */
const metadataOf: Readonly<Partial<Record<PublicReason, Readonly<Record<string, string>>>>> = {
  DELEGATION_EXHAUSTED: { allowed: "0", used: "0" },
};

/** Where a host manages the connections, it answers these itself. */
const ofConnections = ["MALFORMED_HTTP", "HEADERS_TOO_LARGE", "REQUEST_TIMEOUT", "EXPECTATION_FAILED"];
const provoked = Object.entries(cases).filter(([name]) => has(ownConnections) || !ofConnections.includes(name));

describe("DECISIONS 6: every reason, over the wire", () => {
  it("has a case above, except CANCELED, which no caller can receive", () => {
    const reasons = ErrorReasonSchema.values.slice(1).map(({ localName }) => localName);
    expect(Object.keys(cases).sort()).toEqual(reasons.filter((name) => name !== "CANCELED").sort());
  });

  it.each(provoked)("%s", async (name, [provoke, wanted = {}]) => {
    const reason = Object.keys(cases).find((each): each is keyof typeof cases => each === name) ?? "INTERNAL";
    const answer = await provoke();
    expectRpcError(answer, reason, metadataOf[reason]);
    for (const [header, value] of Object.entries(wanted)) expect(answer.header(header)).toBe(value);
    for (const header of ["www-authenticate", "allow", "accept-post", "retry-after"]) {
      if (!(header in wanted)) expect(answer.header(header)).toBeUndefined();
    }
    expect(answer.body).not.toContain(secret);
    const line = await (answer.headers.length > 0 ? lineOf(answer) : undefined);
    expect(line).toMatchObject({ reason, status: answer.status });
  });

  it("CANCELED appears only in the log", async () => {
    const connection = stub.connect();
    connection.send(requestBytes({ body: { itemId: "i-gone" }, headers: { "X-Request-Id": "r-gone" } }));
    while (!stub.called.includes("i-gone")) await new Promise(setImmediate);
    connection.destroy();
    expect(await stub.lineOf("r-gone")).toMatchObject({ reason: "CANCELED", code: "canceled", status: 499 });
    expect(await connection.closed).toBe("");
  });

  it("an unexpected error is logged with its stack frames, never with its message", () => {
    expect(stub.logText()).toContain("error-reasons.test.ts");
    expect(stub.logText()).not.toContain(secret);
  });
});

/** Returns the log line of a response from either listener. UNAVAILABLE comes from a third one, whose log is not checked. */
async function lineOf(answer: WireAnswer) {
  const requestId = answer.header("x-request-id") ?? "";
  const { reason } = JSON.parse(answer.body).details[0].debug;
  if (reason === "UNAVAILABLE") return { reason, status: 503 };
  return test.logText().includes(requestId) ? test.lineOf(requestId) : stub.lineOf(requestId);
}
