import { describe, expect, it } from "vitest";
import { factsOf } from "../facts/facts.ts";
import type { Field, FieldType, Header, Message, Operation, Package, Reason } from "../model/contract.ts";
import {
  type ContractParts,
  testContract,
  testEnum,
  testEnumValue,
  testExtension,
  testField,
  testHeader,
  testMessage,
  testOperation,
  testPackage,
  testReason,
  testService,
} from "../model/testing/test-contract.ts";
import { type ChangeRuleId, changeRules } from "./change-rules.ts";
import { compare } from "./compare.ts";

const today = "2027-01-01";
const deleteItem = "platform.v1.VaultService/DeleteItem";
const itemType = { kind: "message", name: "platform.v1.Item" } as const;

/** Parts of the contract that a row of a table replaces. */
interface Edit {
  readonly operation?: Partial<Operation>;
  readonly operations?: readonly Operation[];
  readonly requestField?: Partial<Field>;
  readonly requestFields?: readonly Field[];
  readonly request?: Partial<Message>;
  readonly itemField?: Partial<Field>;
  readonly itemFields?: readonly Field[];
  readonly item?: Partial<Message>;
  readonly messages?: readonly Message[];
  readonly reason?: Partial<Reason>;
  readonly values?: ReturnType<typeof testReason>[];
  readonly statuses?: readonly string[];
  readonly limits?: Record<string, number>;
  readonly requestHeaders?: readonly Header[];
  readonly responseHeaders?: readonly Header[];
  readonly package?: Partial<Package>;
  readonly more?: ContractParts;
}

const unspecified = testEnumValue("UNSPECIFIED");
const tenant = testHeader("X-Tenant", { everyCall: true });
const requestId = testHeader("X-Request-Id", { everyCall: true, required: true, pattern: "^[a-z]+$" });

function contractWith(edit: Edit) {
  const id = testField("item_id", "string", {
    rules: { "string.max_len": 128, "string.pattern": "^[a-z]*$" },
    ...edit.requestField,
  });
  const kind = testField("kind", "string", { documentedValues: ["login", "card"], ...edit.itemField });
  const statuses = (edit.statuses ?? ["UNSPECIFIED", "OPEN"]).map((name) => testEnumValue(name));
  const reasons = edit.values ?? [testReason("ITEM_NOT_FOUND", { details: ["google.rpc.ErrorInfo"], ...edit.reason })];
  return testContract({
    packages: [
      testPackage("platform.v1", {
        limits: { bodyBytes: 65_536, ...edit.limits },
        requestHeaders: edit.requestHeaders ?? [tenant],
        responseHeaders: edit.responseHeaders ?? [requestId],
        ...edit.package,
      }),
      ...(edit.more?.packages ?? []),
    ],
    operations: [
      ...(edit.operations ?? [
        testOperation(deleteItem, { errors: [{ reason: "ITEM_NOT_FOUND", when: undefined }], ...edit.operation }),
      ]),
      ...(edit.more?.operations ?? []),
    ],
    messages: [
      testMessage("platform.v1.DeleteItemRequest", edit.requestFields ?? [id], edit.request),
      testMessage("platform.v1.DeleteItemResponse", [testField("item", itemType)]),
      testMessage("platform.v1.Item", edit.itemFields ?? [kind], edit.item),
      ...(edit.messages ?? []),
      ...(edit.more?.messages ?? []),
    ],
    enums: [
      testEnum("platform.v1.ErrorReason", [unspecified, ...reasons]),
      testEnum("platform.v1.Status", statuses),
      ...(edit.more?.enums ?? []),
    ],
    services: edit.more?.services ?? [],
    extensions: edit.more?.extensions ?? [],
  });
}

const released = factsOf(contractWith({}));
const rulesOf = (edit: Edit, before: Edit = {}) =>
  compare({ released: factsOf(contractWith(before)), current: factsOf(contractWith(edit)), today }).map(
    ({ rule }) => rule,
  );

const added = (name: string, type: string | FieldType, parts: Partial<Field> = {}) => ({
  requestFields: [
    testField("item_id", "string", { rules: { "string.max_len": 128, "string.pattern": "^[a-z]*$" } }),
    testField(name, type, { number: 2, ...parts }),
  ],
});
const kind = testField("kind", "string", { documentedValues: ["login", "card"] });
const content = { name: "content", place: kind.place, fields: [], required: false };
const status = (parts: object): Edit => ({ more: { enums: [testEnum("platform.v1.Kind", [unspecified], parts)] } });
const service = (parts: object): Edit => ({ more: { services: [testService("platform.v1.ItemService", [], parts)] } });
const sunset = (sunsetOn: string) => ({
  operation: { deprecated: true, deprecation: { deprecatedOn: "2027-01-02", sunsetOn } },
});
const getItem = testOperation("platform.v1.VaultService/GetItem", { rate: { perMinute: 1, burst: 1 } });

type Row = [what: string, rule: ChangeRuleId, edit: Edit, before?: Edit];

const breaking: readonly Row[] = [
  ["an operation removed", "operation-removed", { operations: [] }],
  ["another request type", "operation-type-changed", { operation: { request: "platform.v1.Item" } }],
  ["another response type", "operation-type-changed", { operation: { response: "platform.v1.Item" } }],
  ["visibility narrowed", "visibility-narrowed", { operation: { visibility: "private" } }],
  ["a scope added", "scope-added", { operation: { requiredScopes: ["test.scope", "test.more"] } }],
  ["retry safety lowered to a key", "retry-safety-lowered", { operation: { retrySafety: "with_key" } }],
  ["retry safety lowered to none", "retry-safety-lowered", { operation: { retrySafety: "none" } }],
  ["an error removed from an operation", "operation-reason-removed", { operation: { errors: [] } }],
  ["a sunset brought forward", "sunset-brought-forward", sunset("2027-10-01"), sunset("2027-12-01")],
  ["a sunset in less than 180 days", "sunset-too-soon", sunset("2027-06-01"), { operation: { deprecated: true } }],
  ["a rate lowered", "limit-lowered", { operation: { rate: { perMinute: 60, burst: 100 } } }],
  ["a burst lowered", "limit-lowered", { operation: { rate: { perMinute: 600, burst: 10 } } }],
  ["a limit lowered", "limit-lowered", { limits: { bodyBytes: 1024 } }],
  ["a limit added", "limit-added", { limits: { fields: 9 } }],
  ["a message removed", "message-removed", {}, { messages: [testMessage("platform.v1.Etag", [])] }],
  ["a field removed", "field-removed", { itemFields: [] }],
  ["a field renamed", "field-renamed", { itemFields: [{ ...kind, name: "type", jsonName: "type" }] }],
  ["a field renumbered", "field-renumbered", { itemField: { number: 9 } }],
  ["a field of another type", "field-type-changed", { itemField: { type: { kind: "scalar", name: "uint32" } } }],
  ["a field made a list", "field-type-changed", { itemField: { shape: "repeated" } }],
  ["a field made optional", "presence-changed", { itemField: { shape: "optional" } }],
  ["a field that may be absent now", "presence-changed", { itemField: { absentUntil: "`deleted`" } }],
  ["a field that was absent at times", "presence-changed", {}, { itemField: { absentUntil: "`deleted`" } }],
  ["a field moved into a oneof", "presence-changed", { itemField: { oneof: "content" } }],
  ["a documented value removed", "value-removed", { itemField: { documentedValues: ["login"] } }],
  [
    "max_len lowered",
    "constraint-tightened",
    { requestField: { rules: { "string.max_len": 64, "string.pattern": "^[a-z]*$" } } },
  ],
  [
    "another pattern",
    "constraint-tightened",
    { requestField: { rules: { "string.max_len": 128, "string.pattern": "^[a-y]*$" } } },
  ],
  [
    "a constraint of a message",
    "constraint-tightened",
    { request: { rules: { "cel[0].expression": "this.item_id != ''" } } },
  ],
  ["a constraint of a response removed", "promise-weakened", {}, { itemField: { rules: { "string.max_len": 9 } } }],
  ["a secret that is none any more", "secret-unmarked", {}, { itemField: { secret: true } }],
  [
    "a condition of a failure removed",
    "guarantee-withdrawn",
    {},
    { operation: { errors: [{ reason: "ITEM_NOT_FOUND", when: "Shredded." }] } },
  ],
  ["a reason removed", "reason-removed", { values: [] }],
  ["another code", "reason-code-changed", { reason: { code: "aborted" } }],
  ["another HTTP status", "reason-code-changed", { reason: { httpStatus: 410 } }],
  ["a detail removed", "reason-detail-removed", { reason: { details: [] } }],
  ["a reason that is not sent any more", "reason-removed", { reason: { neverSent: true } }],
  ["an enum value removed", "enum-value-removed", { statuses: ["UNSPECIFIED"] }],
  [
    "an enum value renumbered",
    "enum-value-renumbered",
    { more: { enums: [testEnum("platform.v1.Kind", [unspecified], { values: [{ ...unspecified, number: 7 }] })] } },
    { more: { enums: [testEnum("platform.v1.Kind", [unspecified])] } },
  ],
  ["a required field added", "required-field-added", added("why", "string", { rules: { "string.min_len": 1 } })],
  ["a oneof removed", "oneof-removed", {}, { item: { oneofs: [content] } }],
  [
    "a oneof of which one field must be sent",
    "constraint-tightened",
    { request: { oneofs: [{ ...content, required: true }] } },
    { request: { oneofs: [content] } },
  ],
  ["an extension removed", "extension-changed", {}, { more: { extensions: [testExtension()] } }],
  [
    "an extension renumbered",
    "extension-changed",
    { more: { extensions: [testExtension({ number: 50_001 })] } },
    { more: { extensions: [testExtension()] } },
  ],
  ["an enum removed", "enum-removed", {}, { more: { enums: [testEnum("platform.v1.Kind", [unspecified])] } }],
  ["a request header required", "header-required", { requestHeaders: [{ ...tenant, required: true }] }],
  [
    "a required request header added",
    "header-required",
    { requestHeaders: [tenant, testHeader("X-Key", { everyCall: true, required: true })] },
  ],
  ["a request header removed", "header-removed", { requestHeaders: [] }],
  ["a request header with a pattern", "constraint-tightened", { requestHeaders: [{ ...tenant, pattern: "^a" }] }],
  ["a request header of every call no more", "header-removed", { requestHeaders: [{ ...tenant, everyCall: false }] }],
  ["a response header removed", "header-removed", { responseHeaders: [] }],
  ["a response header that may be missing", "header-removed", { responseHeaders: [{ ...requestId, required: false }] }],
  [
    "a response header without its pattern",
    "promise-weakened",
    { responseHeaders: [{ ...requestId, pattern: undefined }] },
  ],
  [
    "a package removed",
    "package-removed",
    {},
    { more: { packages: [testPackage("platform.v2")], messages: [testMessage("platform.v2.Item", [])] } },
  ],
];

const additive: readonly Row[] = [
  ["an operation, whatever its rate and headers", "operation-added", { more: { operations: [getItem] } }],
  ["visibility widened", "visibility-widened", {}, { operation: { visibility: "private" } }],
  ["a scope removed", "scope-removed", { operation: { requiredScopes: [] } }],
  [
    "retry safety raised",
    "retry-safety-raised",
    {},
    { operation: { retrySafety: "with_key", idempotency: "unknown" } },
  ],
  ["a sunset put off", "sunset-put-off", sunset("2027-12-01"), sunset("2027-10-01")],
  ["an operation deprecated", "deprecation-announced", sunset("2027-12-01")],
  ["a deprecation withdrawn", "deprecation-withdrawn", {}, sunset("2027-12-01")],
  ["a field deprecated", "deprecation-announced", { itemField: { deprecated: true } }],
  ["a message deprecated", "deprecation-announced", { item: { deprecated: true } }],
  ["a package deprecated", "deprecation-announced", { package: { deprecated: true } }],
  [
    "one more error of an operation",
    "operation-reason-added",
    {
      operation: {
        errors: [
          { reason: "ITEM_NOT_FOUND", when: undefined },
          { reason: "VAULT_NOT_FOUND", when: undefined },
        ],
      },
    },
  ],
  ["a rate raised", "limit-raised", { operation: { rate: { perMinute: 601, burst: 100 } } }],
  ["a limit raised", "limit-raised", { limits: { bodyBytes: 65_537 } }],
  ["a limit removed", "limit-removed", {}, { limits: { fields: 9 } }],
  ["a message added", "message-added", { messages: [testMessage("platform.v1.Etag", [testField("etag", "string")])] }],
  [
    "a field of a response, with a constraint",
    "field-added",
    { itemFields: [kind, testField("etag", "string", { number: 2, rules: { "string.min_len": 1 } })] },
  ],
  ["a documented value added", "value-added", { itemField: { documentedValues: ["login", "card", "file"] } }],
  [
    "max_len raised",
    "constraint-loosened",
    { requestField: { rules: { "string.max_len": 256, "string.pattern": "^[a-z]*$" } } },
  ],
  ["a constraint removed", "constraint-loosened", { requestField: { rules: { "string.max_len": 128 } } }],
  ["a constraint of a response added", "promise-strengthened", { itemField: { rules: { "string.max_len": 9 } } }],
  [
    "a reason added",
    "reason-added",
    { values: [testReason("ITEM_NOT_FOUND", { details: ["google.rpc.ErrorInfo"] }), testReason("TEAPOT")] },
  ],
  [
    "a reason of every call added",
    "reason-added",
    {
      values: [
        testReason("ITEM_NOT_FOUND", { details: ["google.rpc.ErrorInfo"] }),
        testReason("TEAPOT", { everyCall: true }),
      ],
    },
  ],
  ["a response header of a reason", "reason-detail-added", { reason: { headers: ["Retry-After"] } }],
  ["an enum value added", "enum-value-added", { statuses: ["UNSPECIFIED", "OPEN", "CLOSED"] }],
  ["an extension added", "extension-added", { more: { extensions: [testExtension()] } }],
  ["an enum deprecated", "deprecation-announced", status({ deprecated: true }), status({})],
  ["a service deprecated", "deprecation-announced", service({ deprecated: true }), service({})],
  ["an enum added", "enum-added", { more: { enums: [testEnum("platform.v1.Kind", [unspecified])] } }],
  [
    "an optional request header",
    "header-added",
    { requestHeaders: [tenant, testHeader("X-Key", { everyCall: true })] },
  ],
  ["a request header relaxed", "header-relaxed", {}, { requestHeaders: [{ ...tenant, required: true }] }],
  [
    "a request header of every call",
    "header-added",
    { requestHeaders: [tenant] },
    { requestHeaders: [{ ...tenant, everyCall: false }] },
  ],
  ["a response header", "header-added", { responseHeaders: [requestId, testHeader("X-Server")] }],
  ["a oneof with new fields", "oneof-added", { item: { oneofs: [content] } }],
  [
    "a package, and nothing of what it contains",
    "package-added",
    { more: { packages: [testPackage("platform.v2")], messages: [testMessage("platform.v2.Item", [kind])] } },
  ],
];

const documentation: readonly Row[] = [
  ["of an operation", "comment-changed", { operation: { comment: "Other words." } }],
  ["about a secret", "secret-marked", { itemField: { secret: true } }],
  ["of a field", "comment-changed", { itemField: { comment: "Other words." } }],
  ["of a message", "comment-changed", { item: { comment: "Other words." } }],
  ["of a package", "comment-changed", { package: { comment: "Other words." } }],
  ["of an enum", "comment-changed", status({ comment: "Other words." }), status({})],
  ["of a service", "comment-changed", service({ comment: "Other words." }), service({})],
  [
    "of an extension",
    "comment-changed",
    { more: { extensions: [testExtension({ comment: "Other words." })] } },
    { more: { extensions: [testExtension()] } },
  ],
  ["of a reason's cause", "comment-changed", { reason: { causes: ["Another one."] } }],
  [
    "of a guarantee",
    "guarantee-reworded",
    { operation: { errors: [{ reason: "ITEM_NOT_FOUND", when: "It is shredded." }] } },
    { operation: { errors: [{ reason: "ITEM_NOT_FOUND", when: "Shredded." }] } },
  ],
  [
    "of when an operation fails",
    "comment-changed",
    { operation: { errors: [{ reason: "ITEM_NOT_FOUND", when: "Shredded." }] } },
  ],
];

it("a change of promises names the texts that differ, and no others", () => {
  const before = factsOf(contractWith({ reason: { remedies: ["Look.", "Wait."] } }));
  const after = factsOf(contractWith({ reason: { remedies: ["Look.", "Wait a second."] } }));
  expect(compare({ released: before, current: after, today }).map(({ what }) => what)).toEqual([
    'platform.v1.ErrorReason.ITEM_NOT_FOUND: the remedy was "Wait." and is "Wait a second." now.',
  ]);
});

describe("DECISIONS section 8: every change is classified", () => {
  it.each<Row>(breaking)("%s is breaking: %s", (_what, rule, edit, before) => {
    expect(rulesOf(edit, before)).toEqual([rule]);
    expect(changeRules[rule].kind).toBe("breaking");
  });

  it.each<Row>(additive)("%s is additive: %s", (_what, rule, edit, before) => {
    expect(rulesOf(edit, before)).toEqual([rule]);
    expect(changeRules[rule].kind).toBe("additive");
  });

  it.each<Row>(documentation)("words %s are documentation: %s", (_what, rule, edit, before) => {
    expect(rulesOf(edit, before)).toEqual([rule]);
  });

  it("every rule but buf's has a row", () => {
    const tested = new Set<string>([...breaking, ...additive, ...documentation].map(([, rule]) => rule));
    expect(Object.keys(changeRules).filter((rule) => !tested.has(rule))).toEqual(["buf-breaking"]);
  });
});

/** A message that callers send and receive. */
const exchanged = (rules: Field["rules"]): Edit => ({ item: { sent: true }, itemField: { rules } });
const failsWhen = (when: string | undefined): Edit => ({ operation: { errors: [{ reason: "ITEM_NOT_FOUND", when }] } });
const itemId = (comment: string): Edit => ({ itemField: { comment } });
const remedies = (...texts: string[]): Edit => ({ reason: { remedies: texts } });

describe("what responses and texts promise is compared by strength", () => {
  it.each<[what: string, before: Edit, after: Edit, rules: ChangeRuleId[]]>([
    [
      "another pattern of a response cannot be compared",
      { itemField: { rules: { "string.pattern": "^[a-z]*$" } } },
      { itemField: { rules: { "string.pattern": "^[a-y]*$" } } },
      ["promise-weakened"],
    ],
    [
      "another constant of a response cannot be compared",
      { itemField: { rules: { "string.const": "a" } } },
      { itemField: { rules: { "string.const": "b" } } },
      ["promise-weakened"],
    ],
    [
      "another CEL expression of a response cannot be compared",
      { item: { rules: { "cel[0].expression": "this.kind != ''" } } },
      { item: { rules: { "cel[0].expression": "this.kind != 'a'" } } },
      ["promise-weakened"],
    ],
    [
      "another pattern of a response header cannot be compared",
      {},
      { responseHeaders: [{ ...requestId, pattern: "^[a-y]+$" }] },
      ["promise-weakened"],
    ],
    [
      "a lower max_len of a response is stronger",
      { itemField: { rules: { "string.max_len": 9 } } },
      { itemField: { rules: { "string.max_len": 8 } } },
      ["promise-strengthened"],
    ],
    [
      "a higher max_len of a response is weaker",
      { itemField: { rules: { "string.max_len": 9 } } },
      { itemField: { rules: { "string.max_len": 10 } } },
      ["promise-weakened"],
    ],
    [
      "fewer values of a response are stronger",
      { itemField: { rules: { "string.in": ["a", "b"] } } },
      { itemField: { rules: { "string.in": ["a"] } } },
      ["promise-strengthened"],
    ],
    [
      "other values of a response cannot be compared",
      { itemField: { rules: { "string.in": ["a", "b"] } } },
      { itemField: { rules: { "string.in": ["a", "c"] } } },
      ["promise-weakened"],
    ],
    [
      "a oneof of a response that may be empty is weaker",
      { item: { oneofs: [{ ...content, required: true }] } },
      { item: { oneofs: [content] } },
      ["promise-weakened"],
    ],
    [
      "what is sent and received can be neither looser",
      exchanged({ "string.max_len": 9 }),
      exchanged({ "string.max_len": 10 }),
      ["promise-weakened"],
    ],
    ["nor stricter", exchanged({ "string.max_len": 9 }), exchanged({ "string.max_len": 8 }), ["constraint-tightened"]],
    ["debug_redact removed", { itemField: { secret: true } }, {}, ["secret-unmarked"]],
    ["`when` removed", failsWhen("Shredded."), failsWhen(undefined), ["guarantee-withdrawn"]],
    ["`when` in other words", failsWhen("Shredded."), failsWhen("The item is shredded."), ["guarantee-reworded"]],
    [
      "`when` removed with its reason",
      failsWhen("Shredded."),
      { operation: { errors: [] } },
      ["operation-reason-removed"],
    ],
    [
      "`when` of a reason that an operation gets",
      { operation: { errors: [] } },
      failsWhen("Shredded."),
      ["operation-reason-added"],
    ],
    [
      "never reused, not said any more",
      itemId("Identifies it. Never reused."),
      itemId("Identifies it."),
      ["comment-changed", "guarantee-withdrawn"],
    ],
    [
      "never reused, with a condition instead",
      itemId("Never reused, not even after deletion."),
      itemId("Not reused while the item exists."),
      ["comment-changed", "guarantee-withdrawn"],
    ],
    [
      "never reused, in other words",
      itemId("Never reused, not even after deletion."),
      itemId("Never given to another item."),
      ["comment-changed", "guarantee-reworded"],
    ],
    [
      "never reused, with another promise instead",
      itemId("Never reused, not even after deletion."),
      itemId("Always present."),
      ["comment-changed", "guarantee-withdrawn"],
    ],
    [
      "one of two guarantees, and two others",
      itemId("Never reused. Never empty."),
      itemId("Never empty. Never shown. Never logged."),
      ["comment-changed", "guarantee-withdrawn"],
    ],
    [
      "two guarantees in another order",
      itemId("Never reused. Never empty."),
      itemId("Never empty. Never reused."),
      ["comment-changed"],
    ],
    ["one more guarantee", itemId("Never reused."), itemId("Never reused. Always present."), ["comment-changed"]],
    ["a remedy removed", remedies("Look.", "Wait."), remedies("Look."), ["guarantee-withdrawn"]],
    [
      "a remedy in other words",
      remedies("Look.", "Wait."),
      remedies("Look.", "Wait a second."),
      ["guarantee-reworded"],
    ],
    [
      "a remedy replaced by two others",
      remedies("Look.", "Wait."),
      remedies("Look.", "Stop.", "Ask."),
      ["guarantee-withdrawn"],
    ],
    ["one more remedy", remedies("Look."), remedies("Look.", "Wait."), ["comment-changed"]],
    ["remedies in another order", remedies("Look.", "Wait."), remedies("Wait.", "Look."), []],
  ])("%s", (_what, before, after, rules) => {
    expect(rulesOf(after, before)).toEqual(rules);
  });
});

describe("a new field of a request", () => {
  it.each<[string, Edit]>([
    ["required", added("why", "platform.v1.Cursor", { rules: { required: true }, shape: "optional" })],
    ["min_len", added("why", "string", { rules: { "string.min_len": 1 } })],
    ["gte above 0", added("why", "uint32", { rules: { "uint32.gte": 1 } })],
    ["gt 0", added("why", "uint32", { rules: { "uint32.gt": 0 } })],
    ["a pattern that rejects an empty string", added("why", "string", { rules: { "string.pattern": "^a+$" } })],
    ["prefix", added("why", "string", { rules: { "string.prefix": "a" } })],
    ["contains", added("why", "string", { rules: { "string.contains": "a" } })],
    ["not_in with an empty string", added("why", "string", { rules: { "string.not_in": [""] } })],
    ["in without an empty string", added("why", "string", { rules: { "string.in": ["a"] } })],
    ["const", added("why", "string", { rules: { "string.const": "a" } })],
    ["a format", added("why", "string", { rules: { "string.email": true } })],
    ["CEL", added("why", "string", { rules: { "cel[0].expression": "this != ''", "cel[0].id": "a" } })],
    ["min_items", added("why", "string", { shape: "repeated", rules: { "repeated.min_items": 1 } })],
  ])("is breaking with %s, which rejects requests without it", (_rule, edit) => {
    expect(rulesOf(edit)).toEqual(["required-field-added"]);
  });

  it.each<[string, Edit]>([
    ["max_len", added("why", "string", { rules: { "string.max_len": 9 } })],
    ["const of the zero value", added("why", "uint32", { rules: { "uint32.const": 0 } })],
    ["const, if it is optional", added("why", "string", { shape: "optional", rules: { "string.const": "a" } })],
    [
      "CEL, if it is optional",
      added("why", "string", { shape: "optional", rules: { "cel[0].expression": "this != ''" } }),
    ],
    [
      "min_len, if an empty value is ignored",
      added("why", "string", { rules: { "string.min_len": 1, ignore: "IGNORE_IF_ZERO_VALUE" } }),
    ],
    [
      "rules for the entries of a list",
      added("why", "string", { shape: "repeated", rules: { "repeated.items.string.min_len": 1 } }),
    ],
    ["a pattern that accepts an empty string", added("why", "string", { rules: { "string.pattern": "^a*$" } })],
  ])("is additive with %s", (_rule, edit) => {
    expect(rulesOf(edit)).toEqual(["field-added"]);
  });
});

describe("reasons of every call", () => {
  const everyCall = { reason: { everyCall: true }, operation: { errors: [] } };

  it("a reason that moves from the operations to every call is no change for them", () => {
    expect(rulesOf(everyCall)).toEqual([]);
    expect(rulesOf({}, everyCall)).toEqual([]);
  });

  it("a reason that stops being of every call is removed from each operation that does not list it", () => {
    expect(rulesOf({ operation: { errors: [] } }, everyCall)).toEqual(["operation-reason-removed"]);
  });
});

it("the same contract has no changes", () => {
  expect(compare({ released, current: released, today })).toEqual([]);
});
