import { create, type DescMessage, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  BrokerTokenSchema,
  DeleteItemRequestSchema,
  DeleteItemResponseSchema,
  ExchangeMcpOauthDeviceAuthorizationRequestSchema,
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
  VersionConflictSchema,
} from "@platform/types";
import { describe, expect, it } from "vitest";
import { emptyVersionConflict } from "../error-body.js";
import { fillIn } from "../fill-in.js";
import {
  emptyBrokerToken,
  emptyDeleteItemRequest,
  emptyDeleteItemResponse,
  emptyExchangeRequest,
  emptyExchangeResponse,
} from "./messages.js";

const noTime = timestampFromMs(0);
const empty = (schema: DescMessage, init = {}) => toJson(schema, create(schema, init), { alwaysEmitImplicit: true });

describe("the messages of the JSON entry are those of the contract", () => {
  it.each([
    { written: emptyDeleteItemRequest, told: empty(DeleteItemRequestSchema) },
    { written: emptyExchangeRequest, told: empty(ExchangeMcpOauthDeviceAuthorizationRequestSchema) },
    { written: emptyExchangeResponse, told: empty(ExchangeMcpOauthDeviceAuthorizationResponseSchema) },
    {
      written: emptyDeleteItemResponse,
      told: empty(DeleteItemResponseSchema, {
        item: { updatedAt: noTime, encryptedPayload: {}, wrappedKeys: [{}] },
        cursor: {},
      }),
    },
    {
      written: emptyBrokerToken,
      told: empty(BrokerTokenSchema, { scopes: [""], issuedAt: noTime, expiresAt: noTime }),
    },
    { written: emptyVersionConflict, told: empty(VersionConflictSchema, { cursor: {} }) },
  ])("$written", ({ written, told }) => {
    expect(written).toEqual(told);
  });
});

describe("fillIn", () => {
  const conflict = { itemId: "item-1", baseVersion: 1, currentVersion: 2, deleted: true };
  const cursor = { vaultId: "vault-1", sequence: 3 };

  it("puts in what stands for absence, and keeps what it does not know", () => {
    const value: unknown = { itemId: "item-1", deleted: null, cursor: { later: [1] } };
    expect(fillIn(emptyVersionConflict, value)).toBe(true);
    expect(value).toEqual({
      ...{ itemId: "item-1", baseVersion: 0, currentVersion: 0, deleted: false },
      cursor: { vaultId: "", sequence: 0, later: [1] },
    });
  });

  it.each([
    { name: "no message", value: conflict },
    { name: "a list for a message", value: { ...conflict, cursor: [] } },
    { name: "a number for a text", value: { ...conflict, cursor, itemId: 1 } },
    { name: "a text for a truth", value: { ...conflict, cursor, deleted: "true" } },
    { name: "a number beyond uint32", value: { ...conflict, cursor: { ...cursor, sequence: 4_294_967_296 } } },
    { name: "a negative number", value: { ...conflict, cursor, currentVersion: -1 } },
    { name: "a broken number", value: { ...conflict, cursor, currentVersion: 1.5 } },
    { name: "null", value: null },
    { name: "a text", value: "conflict" },
  ])("refuses $name", ({ value }) => {
    expect(fillIn(emptyVersionConflict, value)).toBe(false);
  });

  it.each(["", "soon", "1700000000", "2026-13-01T00:00:00Z"])("%j is no timestamp (RFC 3339)", (issuedAt) => {
    expect(fillIn(emptyBrokerToken, { issuedAt, expiresAt: "2026-01-01T00:00:00.123Z" })).toBe(false);
  });

  it("takes the timestamps of the contract", () => {
    expect(fillIn(emptyBrokerToken, { issuedAt: "2026-01-01T00:00:00Z", expiresAt: "2026-01-01T00:00:00.123Z" })).toBe(
      true,
    );
  });

  it.each([undefined, []])("a list that is %j is empty", (scopes) => {
    const value: unknown = { scopes, issuedAt: "2026-01-01T00:00:00Z", expiresAt: "2026-01-01T00:00:00Z" };
    expect(fillIn(emptyBrokerToken, value) && value.scopes).toEqual([]);
  });
});
