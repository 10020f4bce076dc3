import { afterAll, it } from "vitest";
import type { PublicReason } from "../../src/contract/contract.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { seeder, startPlatform, type TestCaller } from "./start-platform.js";
import type { WireRequest } from "./wire-request.js";

const test = await startPlatform({ limited: true });
afterAll(() => test.close());
await test.platform.operations.setOauthClient(
  { tenantId: "t-1", oauthClientId: "c-barred", name: "Barred", allowedOperations: [], enabled: true },
  seeder,
);
// The bucket of this principal does not refill, because the clock does not advance.
for (let calls = 0; calls < 100; calls += 1) await test.deleteItem({}, { principalId: "p-admin" });

/** A part of a request that is wrong. */
interface Fault extends WireRequest {
  readonly caller?: TestCaller;
}

/** In the order of the checks. `gate.isolated.test.ts` has all that precede UNAUTHENTICATED. */
const faults: readonly (readonly [reason: PublicReason, fault: Fault])[] = [
  ["MALFORMED_HTTP", { headers: { Host: "[" } }],
  ["OPERATION_UNKNOWN", { target: "/platform.v1.VaultService/Unknown" }],
  ["METHOD_NOT_ALLOWED", { verb: "PUT" }],
  ["PROTOCOL_VERSION_REQUIRED", { headers: { "Connect-Protocol-Version": undefined } }],
  ["UNAUTHENTICATED", { headers: { Authorization: undefined } }],
  ["TOKEN_NOT_ALLOWLISTED", { caller: { oauthClientId: "c-barred" } }],
  ["INSUFFICIENT_SCOPE", { caller: { scopes: [] } }],
  ["RATE_LIMITED", { caller: { principalId: "p-admin" } }],
  ["REQUEST_TOO_LARGE", { headers: { "Content-Length": "65537" } }],
  ["MALFORMED_JSON", { body: '{"vaultId":7,"itemId":"i-1"' }],
  ["INVALID_FIELD", { body: { vaultId: "v-1" } }],
];

it("DECISIONS 5: of all that is wrong with a request, the first check reports its reason", async () => {
  let wrong: Fault = {};
  for (const [reason, fault] of faults.toReversed()) {
    const headers = { ...wrong.headers, ...fault.headers };
    wrong = { ...wrong, ...fault, headers, caller: { ...wrong.caller, ...fault.caller } };
    const { caller, ...request } = wrong;
    const { accessToken } = await test.issue(caller);
    const answer = await test.send({ ...request, headers: { Authorization: `Bearer ${accessToken}`, ...headers } });
    expectRpcError(answer, reason);
  }
});
