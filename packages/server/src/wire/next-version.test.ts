import type { DescMethod, DescMethodUnary } from "@bufbuild/protobuf";
import { afterAll, describe, expect, it } from "vitest";
import { createListener } from "../http/listener.js";
import { createPlatform } from "../platform.js";
import { checkedMethod } from "../services/handle.js";
import { createRpcErrors } from "../services/rpc-error.js";
import { openDatabase } from "../storage/sqlite/database/open-database.js";
import { createStorageOnDatabase } from "../storage/sqlite/storage-on-database.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { contractWithV2 } from "./contract-with-v2.js";
import { seeder, tokenNames } from "./start-platform.js";

const v1 = "platform.v1.VaultService/DeleteItem";
const v2 = "platform.v2.VaultService/RemoveItem";
const contract = contractWithV2();
const removeItem = contract.operations.get(v2);
if (removeItem === undefined || !isUnary(removeItem.method)) throw new TypeError(`the contract has no ${v2}`);
const { method } = removeItem;
const removeItemError = createRpcErrors<"ITEM_NOT_FOUND">(contract.reasonsOf(removeItem));
const validate = contract.createValidator([method.input]);

const storage = createStorageOnDatabase(openDatabase(":memory:"));
const platform = await createPlatform({
  storage,
  keys: createMemoryKeyStore(),
  ...tokenNames,
  contract,
  rates: { [v2]: { perMinute: 1, burst: 6 } },
});
const called: string[] = [];
const listener = createListener(
  {
    ...platform,
    routes(router) {
      platform.routes(router);
      router.rpc(
        method,
        checkedMethod(validate, async (_, { actor }) => {
          called.push(actor.operation);
          if (called.length > 1) throw removeItemError("ITEM_NOT_FOUND");
          return { item: { itemId: "i-1", deleted: true } };
        }),
      );
    },
  },
  { logger: { info: () => {}, error: () => {} } },
);
const { port } = await listener.listen(0, "127.0.0.1");
afterAll(async () => {
  await listener.close();
  await storage.close();
});

function isUnary(candidate: DescMethod): candidate is DescMethodUnary {
  return candidate.methodKind === "unary";
}

const [tenantId, principalId] = ["t-1", "p-1"];
await platform.own.setPrincipal({ tenantId, principalId, active: true }, seeder);

/** Issues a token of a client that may call these operations. */
async function tokenFor(allowedOperations: readonly string[]): Promise<string> {
  const client = { tenantId, oauthClientId: `c-${allowedOperations.length}`, name: "Client", enabled: true };
  await platform.own.setOauthClient({ ...client, allowedOperations }, seeder);
  const scopes = ["vault.items:delete"];
  const input = { tenantId, principalId, oauthClientId: client.oauthClientId, scopes, lifeSeconds: 0 };
  return (await platform.own.issueAccessToken(input, seeder)).accessToken;
}
const both = await tokenFor([v1, v2]);
const onlyV1 = await tokenFor([v1]);

async function call(operation: string, { token = both, body = {}, version = "1" } = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/${operation}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Connect-Protocol-Version": version,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
const item = { vaultId: "v-1", itemId: "i-1", baseVersion: 1 };
const errorOf = async (answer: ReturnType<typeof call>) => {
  const { status, text } = await answer;
  const { message, details } = JSON.parse(text);
  const { reason, domain } = details[0].debug;
  return { status, reason, domain, message };
};

describe("platform.v2 next to platform.v1", () => {
  it("serves an operation of v2 whose implementation is registered", async () => {
    const { status, text } = await call(v2, { body: item });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ item: { itemId: "i-1", deleted: true } });
    expect(called).toEqual([v2]);
  });

  it("answers an error of the operation with the text and the domain of v2", async () => {
    expect(await errorOf(call(v2, { body: item }))).toEqual({
      status: 404,
      reason: "ITEM_NOT_FOUND",
      domain: "platform.v2",
      message: expect.stringContaining("possess the item"),
    });
  });

  it.each([
    ["PROTOCOL_VERSION_REQUIRED", { version: "2" }],
    ["UNAUTHENTICATED", { token: "" }],
    ["TOKEN_NOT_ALLOWLISTED", { token: onlyV1 }],
    ["INVALID_FIELD", { body: { ...item, vaultId: "" } }],
  ])("applies the gate and the constraints of the contract to v2: %s", async (reason, request) => {
    expect(await errorOf(call(v2, request))).toMatchObject({ reason, domain: "platform.v2" });
  });

  it("limits v2 by its own rate", async () => {
    await expect.poll(async () => errorOf(call(v2))).toMatchObject({ reason: "RATE_LIMITED", domain: "platform.v2" });
    expect(await errorOf(call(v1))).toMatchObject({ reason: "INVALID_FIELD" });
  });

  it("changes nothing in v1", async () => {
    expect(await errorOf(call(v1, { body: item }))).toMatchObject({ reason: "VAULT_NOT_FOUND", domain: "platform.v1" });
    expect(contract.reasons.get("ITEM_NOT_FOUND")?.message).toContain("contain the item");
    expect(await errorOf(call("platform.v1.VaultService/RemoveItem"))).toMatchObject({ reason: "OPERATION_UNKNOWN" });
  });

  it("reads the operations and rates of both versions", () => {
    expect([...contract.operations.keys()]).toEqual(expect.arrayContaining([v1, v2]));
    expect(contract.rates[v2]).toEqual(contract.rates[v1]);
  });
});
