import { afterAll, describe, it } from "vitest";
import type { PublicReason } from "../contract/contract.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { deleteScope, seeder, startPlatform } from "./start-platform.js";
import { createLatch, startStub } from "./start-stub.js";
import { has, itWith, ownResponses } from "./test-server.js";
import { deleteItemPath, requestBytes } from "./wire-request.js";

const test = await startPlatform({ limited: true });
// A running call keeps the second listener draining, for longer than the tests take on a busy machine.
const graceMs = 300_000;
const latch = createLatch();
const draining = await startStub(() => latch.opened);
const running = draining.connect();
running.send(requestBytes({ body: {} }));
while (draining.called.length === 0) await new Promise(setImmediate);
const drained = has(ownResponses) ? draining.listener.close(graceMs) : undefined;
afterAll(async () => {
  latch.open();
  await running.answer();
  await drained;
  await draining.close();
  await test.close();
});

/** A request of which each part can be invalid independently. */
interface Parts {
  draining: boolean;
  path: string;
  query: string;
  verb: string;
  contentType: string;
  contentEncoding: string | undefined;
  protocolVersion: string | undefined;
  timeout: string | undefined;
  token: boolean;
  oauthClientId: string;
  scopes: readonly string[];
  principalId: string;
  announced: string | undefined;
  body: string;
}

/** The faults, in the order in which the gate and then the body are checked. */
const faults: readonly (readonly [PublicReason, Partial<Parts>])[] = [
  // The host of a fetch handler stops by itself.
  ...(has(ownResponses) ? [["UNAVAILABLE", { draining: true }] as const] : []),
  ["OPERATION_UNKNOWN", { path: "/platform.v1.VaultService/Unknown" }],
  ["METHOD_NOT_ALLOWED", { verb: "PUT" }],
  ["TOKEN_IN_QUERY", { query: "?access_token=x" }],
  ["MEDIA_TYPE_UNSUPPORTED", { contentType: "text/json" }],
  ["ENCODING_UNSUPPORTED", { contentEncoding: "gzip" }],
  ["PROTOCOL_VERSION_REQUIRED", { protocolVersion: undefined }],
  ["INVALID_TIMEOUT", { timeout: "soon" }],
  ["UNAUTHENTICATED", { token: false }],
  ["TOKEN_NOT_ALLOWLISTED", { oauthClientId: "c-barred" }],
  ["INSUFFICIENT_SCOPE", { scopes: [] }],
  ["RATE_LIMITED", { principalId: "p-admin" }],
  ["REQUEST_TOO_LARGE", { announced: "65537" }],
  ["MALFORMED_JSON", { body: '{"vaultId":"v-1"' }],
];

await test.platform.operations.setOauthClient(
  { tenantId: "t-1", oauthClientId: "c-barred", name: "Barred", allowedOperations: [], enabled: true },
  seeder,
);
for (let calls = 0; calls < 100; calls += 1) await test.deleteItem({}, { principalId: "p-admin" });

async function send(...broken: Partial<Parts>[]) {
  const parts: Parts = Object.assign(
    {
      draining: false,
      path: deleteItemPath,
      query: "",
      verb: "POST",
      contentType: "application/json",
      contentEncoding: undefined,
      protocolVersion: "1",
      timeout: undefined,
      token: true,
      oauthClientId: "c-1",
      scopes: [deleteScope],
      principalId: "p-owner",
      announced: undefined,
      body: "{}",
    },
    ...broken,
  );
  const { oauthClientId, scopes, principalId } = parts;
  const { accessToken } = await test.issue({ oauthClientId, scopes, principalId });
  const listener = parts.draining ? draining : test;
  // The bucket of this principal does not refill, because the clock does not advance.
  return listener.send({
    verb: parts.verb,
    target: parts.path + parts.query,
    headers: {
      "Content-Type": parts.contentType,
      "Content-Encoding": parts.contentEncoding,
      "Connect-Protocol-Version": parts.protocolVersion,
      "Connect-Timeout-Ms": parts.timeout,
      Authorization: parts.token ? `Bearer ${accessToken}` : undefined,
      ...(parts.announced !== undefined && { "Content-Length": parts.announced }),
    },
    body: parts.body,
  });
}

describe("DECISIONS 5: the order of the gate", () => {
  // A check that ran too early would reject the request that also has its fault.
  const withLater = faults.map(([reason, fault], index) => [reason, fault, faults.slice(index + 1)] as const);
  it.each(withLater)("%s before all that follow", async (reason, fault, later) => {
    expectRpcError(await send(fault, ...later.map(([, other]) => other)), reason);
  });

  it("INVALID_FIELD alone, when nothing else is wrong", async () => {
    expectRpcError(await send(), "INVALID_FIELD");
  });

  itWith(ownResponses, "malformed HTTP is rejected before the gate, also while draining", async () => {
    for (const listener of [test, draining]) {
      expectRpcError(
        await listener.send({ target: "/unknown", verb: "PUT", headers: { Host: "[" } }),
        "MALFORMED_HTTP",
      );
    }
  });

  it("MALFORMED_JSON before a value that does not fit its field", async () => {
    const body = '{"vaultId":7,"itemId":"i-1","baseVersion":1';
    expectRpcError(await send({ body }), "MALFORMED_JSON");
  });
});
