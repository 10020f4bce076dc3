import { type DescMethod, type DescMethodUnary, fromBinary, toBinary } from "@bufbuild/protobuf";
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, it } from "vitest";
import { type Contract, readContract } from "../../src/contract/contract.js";
import { descriptorSet } from "../../src/gen/descriptor-set.js";
import { createListener } from "../../src/http/listener.js";
import { createPlatform } from "../../src/platform.js";
import { checkedMethod } from "../../src/services/handle.js";
import { createRpcErrors } from "../../src/services/rpc-error.js";
import { openDatabase } from "../../src/storage/sqlite/database/open-database.js";
import { createStorageOnDatabase } from "../../src/storage/sqlite/storage-on-database.js";
import { createMemoryKeyStore } from "../../src/tokens/memory-key-store.js";
import { seeder, tokenNames } from "./start-platform.js";

/** Names and texts of v1, and those of v2. They have the same length, so that they can be replaced in a binary message. */
const changes = [
  ["platform.v1", "platform.v2"],
  ["platform/v1/", "platform/v2/"],
  ["DeleteItem", "RemoveItem"],
  ["contain the item", "possess the item"],
] as const;

/** Reads a contract that has platform.v2 next to platform.v1, where DeleteItem is called RemoveItem. */
function contractWithV2(): Contract {
  const v1 = base64Decode(descriptorSet);
  const text = changes.reduce(
    (changed, [before, after]) => changed.replaceAll(before, after),
    Buffer.from(v1).toString("latin1"),
  );
  const files = fromBinary(FileDescriptorSetSchema, v1);
  const v2 = fromBinary(FileDescriptorSetSchema, Buffer.from(text, "latin1"));
  files.file.push(...v2.file.filter(({ name }) => name.startsWith("platform/v2/")));
  return readContract(base64Encode(toBinary(FileDescriptorSetSchema, files)));
}

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

const client = { tenantId, oauthClientId: "c-1" };
await platform.own.setOauthClient({ ...client, name: "Client", allowedOperations: [v1, v2], enabled: true }, seeder);
const { accessToken } = await platform.own.issueAccessToken(
  { ...client, principalId, scopes: ["vault.items:delete"], lifeSeconds: 0 },
  seeder,
);

async function call(operation: string, body: object = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/${operation}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${accessToken}`,
      "Content-Type": "application/json",
      "Connect-Protocol-Version": "1",
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
    const { status, text } = await call(v2, item);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ item: { itemId: "i-1", deleted: true } });
    expect(called).toEqual([v2]);
  });

  it("answers an error of the operation with the text and the domain of v2", async () => {
    expect(await errorOf(call(v2, item))).toEqual({
      status: 404,
      reason: "ITEM_NOT_FOUND",
      domain: "platform.v2",
      message: expect.stringContaining("possess the item"),
    });
  });

  it("applies the constraints of the contract to v2", async () => {
    expect(await errorOf(call(v2, { ...item, vaultId: "" }))).toMatchObject({
      reason: "INVALID_FIELD",
      domain: "platform.v2",
    });
  });

  it("limits v2 by its own rate", async () => {
    await expect.poll(async () => errorOf(call(v2))).toMatchObject({ reason: "RATE_LIMITED", domain: "platform.v2" });
    expect(await errorOf(call(v1))).toMatchObject({ reason: "INVALID_FIELD" });
  });

  it("changes nothing in v1", async () => {
    expect(await errorOf(call(v1, item))).toMatchObject({ reason: "VAULT_NOT_FOUND", domain: "platform.v1" });
    expect(contract.reasons.get("ITEM_NOT_FOUND")?.message).toContain("contain the item");
    expect(await errorOf(call("platform.v1.VaultService/RemoveItem"))).toMatchObject({ reason: "OPERATION_UNKNOWN" });
  });
});
