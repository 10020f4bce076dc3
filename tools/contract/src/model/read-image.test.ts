import { beforeAll, describe, expect, it } from "vitest";
import { contractAt, workspaceRoot } from "../testing/contract-copy.ts";
import type { Contract } from "./contract.ts";

let contract: Contract;
beforeAll(async () => {
  contract = await contractAt(workspaceRoot);
});

describe("the contract read from the image of this workspace", () => {
  it("contains the packages, published or not, with limits and headers", () => {
    const published = [...contract.packages.values()].filter((found) => found.published).map(({ name }) => name);
    expect(published.sort()).toEqual(["google.rpc", "platform.options.v1", "platform.v1"]);
    const v1 = contract.packages.get("platform.v1");
    expect(v1?.comment).toMatch(/^The public contract of the platform: operations on end-to-end/);
    expect(v1?.limits).toMatchObject({ bodyBytes: 65_536, callsInFlightPerPrincipal: 100 });
    expect(v1?.limitPlaces).toMatchObject({ bodyBytes: { file: "proto/platform/v1/calls.proto" } });
    const key = v1?.requestHeaders.find(({ name }) => name === "Idempotency-Key");
    expect(key).toMatchObject({ everyCall: false, required: false, minLen: 16, maxLen: 128 });
    expect(v1?.responseHeaders.map(({ name }) => name)).toContain("Retry-After");
  });

  it("contains the options of an operation and their places", () => {
    const operation = contract.operations.get("platform.v1.VaultService/DeleteItem");
    expect(operation).toMatchObject({
      visibility: "public",
      requiredScopes: ["vault.items:delete"],
      retrySafety: "idempotent",
      idempotency: "idempotent",
      streaming: false,
      deprecated: false,
      rate: { perMinute: 600, burst: 100 },
      headers: [],
    });
    expect(operation?.deprecation).toBeUndefined();
    expect(operation?.errors[0]).toEqual({ reason: "INVALID_FIELD" });
    expect(operation?.comment).toContain("`updatedAt` now");
    const lines = ["visibility", "requiredScopes", "errors"].map((part) => operation?.optionPlaces[part]?.line ?? 0);
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
    expect(lines[0]).toBeGreaterThan(operation?.place.line ?? 0);
  });

  it("contains the fields of messages with constraints and documented values", () => {
    const payload = contract.messages.get("platform.v1.EncryptedPayload");
    expect(payload).toMatchObject({ received: true, sent: true });
    expect(payload?.fields[0]).toMatchObject({
      jsonName: "alg",
      type: { kind: "scalar", name: "string" },
      shape: "singular",
      documentedValues: ["A256GCM", "XC20P"],
      rules: { "string.max_len": 64, "string.min_len": 1, "string.pattern": "^[A-Za-z0-9._+-]*$" },
      place: { file: "proto/platform/v1/item.proto", column: 3 },
    });
    const response = contract.messages.get("platform.v1.ExchangeMcpOauthDeviceAuthorizationResponse");
    expect(response).toMatchObject({ received: true, sent: false });
    expect(response?.fields.find(({ jsonName }) => jsonName === "brokerToken")?.absentUntil).toBe(
      "`status` is `approved`",
    );
    const details = contract.messages.get("google.rpc.BadRequest.FieldViolation");
    expect(details?.received).toBe(true);
    const metadata = contract.messages.get("google.rpc.ErrorInfo")?.fields.at(-1);
    expect(metadata).toMatchObject({ shape: "map", keyType: "string", type: { kind: "scalar", name: "string" } });
  });

  it("contains the error reasons with their options", () => {
    const values = contract.enums.get("platform.v1.ErrorReason")?.values ?? [];
    expect(values[0]).toMatchObject({ localName: "UNSPECIFIED", number: 0, reason: undefined });
    const conflict = values.find(({ localName }) => localName === "VERSION_CONFLICT");
    expect(conflict?.reason).toMatchObject({
      code: "aborted",
      httpStatus: 409,
      details: ["platform.v1.VersionConflict"],
      everyCall: false,
    });
    const { httpStatus } = conflict?.reason?.optionPlaces ?? {};
    expect(httpStatus?.line).toBeGreaterThan(conflict?.place.line ?? 0);
  });

  it("contains the extensions with their numbers", () => {
    expect(contract.extensions.get("platform.options.v1.call")).toMatchObject({
      extendee: "google.protobuf.MethodOptions",
      number: 50_006,
    });
  });
});
