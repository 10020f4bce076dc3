import { create, type DescMessage, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  BrokerTokenSchema,
  DeleteItemResponseSchema,
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
  VersionConflictSchema,
} from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { versionConflictShape } from "../error/error-answer.js";
import { rebuild } from "../wire/rebuild.js";
import { brokerTokenShape, deleteItemResponseShape, exchangeResponseShape } from "./messages.js";

const noTime = timestampFromMs(0);
/** The fields of a message, empty. */
const empty = (schema: DescMessage, init = {}): unknown =>
  JSON.parse(JSON.stringify(toJson(schema, create(schema, init), { alwaysEmitImplicit: true })), (_, value) =>
    value === "1970-01-01T00:00:00Z" ? "" : value,
  );

describe("the messages of the JSON entry are those of the contract", () => {
  it.each([
    { written: exchangeResponseShape, told: empty(ExchangeMcpOauthDeviceAuthorizationResponseSchema) },
    {
      written: deleteItemResponseShape,
      told: empty(DeleteItemResponseSchema, {
        item: { updatedAt: noTime, encryptedPayload: {}, wrappedKeys: [{}] },
        cursor: {},
      }),
    },
    {
      written: brokerTokenShape,
      told: empty(BrokerTokenSchema, { scopes: [""], issuedAt: noTime, expiresAt: noTime }),
    },
    { written: versionConflictShape, told: empty(VersionConflictSchema, { cursor: {} }) },
  ])("$written", ({ written, told }) => {
    expect(written).toEqual(told);
  });
});

describe("rebuild", () => {
  const conflict = { itemId: "item-1", baseVersion: 1, currentVersion: 2, deleted: true };
  const cursor = { vaultId: "vault-1", sequence: 3 };

  it("puts in what stands for absence, and drops what the shape does not show", () => {
    const value = JSON.parse('{"itemId":"item-1","deleted":null,"cursor":{"later":[1]},"__proto__":{"baseVersion":7}}');
    expect(rebuild(versionConflictShape, value)).toEqual({
      ...{ itemId: "item-1", baseVersion: 0, currentVersion: 0, deleted: false },
      cursor: { vaultId: "", sequence: 0 },
    });
  });

  it.each([
    { name: "no message", value: conflict },
    { name: "a number for a text", value: { ...conflict, cursor, itemId: 1 } },
    { name: "a text for a truth", value: { ...conflict, cursor, deleted: "true" } },
    { name: "a text for a number", value: { ...conflict, cursor, currentVersion: "2" } },
    { name: "null", value: null },
    { name: "a text", value: "conflict" },
  ])("refuses $name", ({ value }) => {
    expect(rebuild(versionConflictShape, value)).toBeUndefined();
  });

  it.each([undefined, []])("a list that is %j is empty", (scopes) => {
    const value = { scopes, issuedAt: "2026-01-01T00:00:00Z", expiresAt: "2026-01-01T00:00:00Z" };
    expect(rebuild(brokerTokenShape, value)).toMatchObject({ scopes: [] });
  });
});
