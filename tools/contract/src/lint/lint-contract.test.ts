import { describe, expect, it } from "vitest";
import type { Field, Message, Operation, Package, Reason } from "../model/contract.ts";
import {
  testContract,
  testEnum,
  testEnumValue,
  testField,
  testHeader,
  testMessage,
  testOperation,
  testPackage,
  testReason,
} from "../model/testing/test-contract.ts";
import { lintContract, rules } from "./lint.ts";

const today = "2027-01-01";
const bounded = { "string.max_len": 9 };

interface Edit {
  readonly operation?: Partial<Operation>;
  readonly operations?: readonly Operation[];
  readonly request?: readonly Field[];
  readonly response?: readonly Field[];
  readonly reason?: Partial<Reason>;
  readonly values?: ReturnType<typeof testReason>[];
  readonly package?: Partial<Package>;
  readonly packages?: readonly Package[];
  readonly messages?: readonly Message[];
}

const valid = testReason("INVALID_FIELD", {
  causes: ["A field is wrong."],
  headers: ["Retry-After"],
  details: ["platform.v1.Item"],
});
const item = { kind: "message", name: "platform.v1.Item" } as const;
const itemId = testField("item_id", "string", { rules: bounded });

/** A contract without findings, with an edit. */
function contractWith(edit: Edit) {
  return testContract({
    packages: [
      testPackage("platform.v1", {
        limits: { bodyBytes: 1 },
        requestHeaders: [testHeader("Authorization", { everyCall: true }), testHeader("Idempotency-Key")],
        responseHeaders: [testHeader("Cache-Control", { everyCall: true }), testHeader("Retry-After")],
        ...edit.package,
      }),
      ...(edit.packages ?? []),
    ],
    operations: [
      testOperation("platform.v1.VaultService/DeleteItem", {
        requiredScopes: ["vault.items:delete"],
        errors: [{ reason: "INVALID_FIELD", when: undefined }],
        ...edit.operation,
      }),
      ...(edit.operations ?? []),
    ],
    messages: [
      testMessage("platform.v1.DeleteItemRequest", edit.request ?? [itemId]),
      testMessage("platform.v1.DeleteItemResponse", edit.response ?? [testField("item", item)]),
      testMessage("platform.v1.Item", [testField("item_id", "string")]),
      ...(edit.messages ?? []),
    ],
    enums: [
      testEnum("platform.v1.ErrorReason", [
        testEnumValue("UNSPECIFIED"),
        ...(edit.values ?? [{ ...valid, reason: valid.reason && { ...valid.reason, ...edit.reason } }]),
      ]),
    ],
  });
}

const deprecated = (deprecatedOn: string, sunsetOn: string) => ({
  operation: { deprecated: true, deprecation: { deprecatedOn, sunsetOn } },
});

const standard = (method: string, request: readonly Field[], response: readonly Field[]): Edit => ({
  operations: [
    testOperation(`platform.v1.VaultService/${method}`, {
      requiredScopes: ["vault.items:read"],
      errors: [{ reason: "INVALID_FIELD", when: undefined }],
    }),
  ],
  messages: [
    testMessage(`platform.v1.${method}Request`, request),
    testMessage(`platform.v1.${method}Response`, response),
  ],
});

const pageSize = testField("page_size", "uint32", { rules: { "uint32.lte": 100 } });
const pageToken = testField("page_token", "string", { rules: bounded });
const items = testField("items", item, { shape: "repeated" });
const nextPageToken = testField("next_page_token", "string");

const errorsOf = (...reasons: string[]) => ({
  operation: { errors: ["INVALID_FIELD", ...reasons].map((reason) => ({ reason, when: undefined })) },
});

/** A contract with a private operation, and a public reason with these texts. */
const remedying = (reason: Partial<Reason>): Edit => ({
  reason,
  packages: [testPackage("platform.internal.v1", { published: false, limits: { bodyBytes: 1 } })],
  operations: [
    testOperation("platform.internal.v1.ItemService/GetItem", {
      visibility: "private",
      requiredScopes: ["vault.items:read"],
      errors: [{ reason: "INVALID_FIELD", when: undefined }],
    }),
  ],
  messages: [
    testMessage("platform.internal.v1.GetItemRequest", [itemId]),
    testMessage("platform.internal.v1.GetItemResponse", [testField("item", item)]),
  ],
});

const violations: [rule: string, words: string, edit: Edit][] = [
  ["operation-visibility", "has no visibility", { operation: { visibility: "unspecified" } }],
  ["operation-scopes", "requires no scope", { operation: { requiredScopes: [] } }],
  ["operation-scopes", '"vault.*"', { operation: { requiredScopes: ["vault.*"] } }],
  ["operation-scopes", "nobody can approve", { operation: { requiredScopes: ["platform.internal:admin"] } }],
  [
    "operation-retry-safety",
    "has no retry_safety",
    { operation: { retrySafety: "unspecified", idempotency: "unknown" } },
  ],
  ["operation-idempotency", "contradict", { operation: { retrySafety: "none" } }],
  ["operation-post-only", "enables GET", { operation: { idempotency: "no_side_effects", retrySafety: "none" } }],
  ["operation-deprecation", "without a deprecation option", { operation: { deprecated: true } }],
  ["operation-deprecation", '"2027-02-30"', deprecated("2027-02-30", "2027-12-01")],
  ["operation-deprecation", "179 days", deprecated("2027-01-01", "2027-06-29")],
  ["operation-deprecation", "not after 2027-01-01", deprecated("2026-01-01", "2027-01-01")],
  ["operation-errors", "TEAPOT, which is not a reason", errorsOf("TEAPOT")],
  ["operation-errors", "INVALID_FIELD twice", errorsOf("INVALID_FIELD")],
  [
    "operation-errors",
    "every call may fail with",
    { values: [valid, testReason("INTERNAL", { everyCall: true })], ...errorsOf("INTERNAL") },
  ],
  ["operation-errors", "does not list INVALID_FIELD", { operation: { errors: [] }, reason: { everyCall: true } }],
  ["operation-headers", "X-Key, which is not defined", { operation: { headers: ["X-Key"] } }],
  ["operation-headers", "which every call has", { operation: { headers: ["Authorization"] } }],
  ["operation-headers", "Idempotency-Key", { operation: { retrySafety: "with_key", idempotency: "unknown" } }],
  ["reason-options", "has no code", { reason: { code: "unspecified" } }],
  ["reason-options", "has no option", { values: [valid, { ...valid, localName: "SILENT", reason: undefined }] }],
  ["reason-texts", "no causes", { reason: { causes: [] } }],
  ["reason-texts", "not a sentence", { reason: { remedies: ["fix it"] } }],
  ["reason-remedies", "GetItem, which is private", remedying({ message: "The version differs. Call `GetItem`." })],
  ["reason-details", "platform.v1.Nothing", { reason: { details: ["platform.v1.Nothing"] } }],
  ["reason-details", "X-Nothing", { reason: { headers: ["X-Nothing"] } }],
  ["reason-used", "TEAPOT is not used", { values: [valid, testReason("TEAPOT")] }],
  ["package-visibility", "is private in the public package", { operation: { visibility: "private" } }],
  [
    "package-visibility",
    "neither public nor private",
    { operation: { package: "platform.internal.beta", errors: [] }, request: [], reason: { everyCall: true } },
  ],
  ["public-imports", "private proto/x.proto", importing("platform.internal.v1")],
  ["public-imports", "another version", importing("platform.v2")],
  [
    "package-limits",
    "has no limit pipelinedRequests",
    { messages: [testMessage("platform.options.v1.Limits", [testField("pipelined_requests", "uint32")])] },
  ],
  ["package-limits", "has no limits", { package: { limits: undefined } }],
  ["package-limits", "has no headers", { package: { responseHeaders: [] }, reason: { headers: [] } }],
  ["json-types", "is int64", { response: [testField("size", "int64")] }],
  ["json-types", "is uint64", { response: [testField("sizes", "string", { shape: "map", keyType: "uint64" })] }],
  [
    "timestamp-names",
    "without a name in _at",
    { response: [testField("created", { kind: "message", name: "google.protobuf.Timestamp" })] },
  ],
  ["timestamp-names", "not a Timestamp", { response: [testField("created_at", "uint32")] }],
  ["request-bounds", "a string without a bound", { request: [{ ...itemId, rules: {} }] }],
  [
    "request-bounds",
    "without max_items",
    {
      request: [
        itemId,
        testField("tags", "string", { shape: "repeated", rules: { "repeated.items.string.max_len": 1 } }),
      ],
    },
  ],
  [
    "request-bounds",
    "without max_pairs",
    { request: [itemId, testField("tags", "uint32", { shape: "map", keyType: "uint32" })] },
  ],
  [
    "supported-constraints",
    "string.well_known_regex",
    { request: [{ ...itemId, rules: { ...bounded, "string.well_known_regex": "KNOWN_REGEX_HTTP_HEADER_NAME" } }] },
  ],
  ["documented-values", "twice", { response: [testField("kind", "string", { documentedValues: ["a", "a"] })] }],
  [
    "documented-values",
    '"toolongtoo"',
    { response: [testField("kind", "string", { documentedValues: ["toolongtoo"], rules: bounded })] },
  ],
  ["absent-until", "in no response", { request: [{ ...itemId, shape: "optional", absentUntil: "`deleted`" }] }],
  ["absent-until", "cannot be absent", { response: [testField("kind", "string", { absentUntil: "`deleted`" })] }],
  ["absent-until", "does not state", { response: [testField("kind", "string", { shape: "optional" })] }],
  ["list-pagination", "page_size", standard("ListItems", [pageToken], [items, nextPageToken])],
  [
    "list-pagination",
    "upper bound",
    standard("ListItems", [{ ...pageSize, rules: {} }, pageToken], [items, nextPageToken]),
  ],
  ["list-pagination", "no repeated message", standard("ListItems", [pageSize, pageToken], [nextPageToken])],
  ["standard-methods", "string item_id", { request: [testField("name", "string", { rules: bounded })] }],
  ["standard-methods", "returns no Item", standard("GetItem", [itemId], [testField("kind", "string")])],
  ["resource-ids", "does not name its resource", { response: [testField("id", "string")] }],
  ["resource-ids", "not a string", { response: [testField("owner_id", "uint32")] }],
  ["field-behaviour", "may or may not be required", { request: [itemId, testField("owner", item)] }],
];

function importing(name: string): Edit {
  const place = { file: "proto/platform/v1/item.proto", line: 5, column: 1 };
  const files = [{ path: place.file, imports: [{ file: "proto/x.proto", package: name, place }] }];
  const limits = { limits: {}, requestHeaders: [testHeader("A")], responseHeaders: [testHeader("B")] };
  return { package: { files }, packages: [testPackage(name, limits)] };
}

describe("lint checks what buf does not", () => {
  it("finds nothing in a valid contract", () => {
    expect(lintContract(contractWith({}), today)).toEqual([]);
    expect(lintContract(contractWith(deprecated("2027-01-01", "2027-06-30")), today)).toEqual([]);
    expect(
      lintContract(contractWith(standard("ListItems", [pageSize, pageToken], [items, nextPageToken])), today),
    ).toEqual([]);
    expect(lintContract(contractWith(standard("GetItem", [itemId], [testField("item", item)])), today)).toEqual([]);
  });

  it.each(violations)("%s: %s", (rule, words, edit) => {
    const findings = lintContract(contractWith(edit), today);
    const found = findings.find((finding) => finding.rule === rule);
    expect(found?.message).toContain(words);
    expect(found?.message).toContain("\nFix: ");
    expect(new Set(findings.map((finding) => finding.rule))).toEqual(new Set([rule]));
  });

  it("reports a rule about a field of a request or response there, not at the operation", () => {
    const place = { file: "proto/platform/v1/test.proto", line: 9, column: 3 };
    const list = standard("ListItems", [{ ...pageSize, rules: {}, place }, pageToken], [items, nextPageToken]);
    expect(lintContract(contractWith(list), today).map((finding) => finding.place)).toEqual([place]);
  });

  it("every rule has a row", () => {
    const tested = new Set(violations.map(([rule]) => rule));
    expect(rules.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([]);
  });
});
