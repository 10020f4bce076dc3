import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareApis } from "./baseline/api-changes.ts";
import { announces, misaddressed, parseChangeset } from "./baseline/changesets.ts";
import { readPackageApis } from "./baseline/package-apis.ts";
import { type ChangeRuleId, changeRules } from "./compare/change-rules.ts";
import { compare } from "./compare/compare.ts";
import { factsOf } from "./facts/facts.ts";
import type { Field, FieldType, Header, Message, Operation, Package, Reason } from "./model/contract.ts";
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
} from "./model/testing/test-contract.ts";

/** Each edit that the gate judges, with its verdict and the step that the version has to go up. `never`: no version may contain it. */
type Step = "never" | "major" | "minor" | "patch";

const stepOfContract: Readonly<Record<(typeof changeRules)[ChangeRuleId]["kind"], Step>> = {
  breaking: "never",
  decision: "minor",
  additive: "minor",
  documentation: "patch",
};

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
const idRules = (maxLen = 128, pattern = "^[a-z]*$"): Edit => ({
  requestField: { rules: { "string.max_len": maxLen, "string.pattern": pattern } },
});
const failsWith = (...reasons: string[]): Edit => ({
  operation: { errors: reasons.map((reason) => ({ reason, when: undefined })) },
});
const withReason = (...more: ReturnType<typeof testReason>[]): Edit => ({
  values: [testReason("ITEM_NOT_FOUND", { details: ["google.rpc.ErrorInfo"] }), ...more],
});
const answered = (parts: Partial<Header>): Edit => ({ responseHeaders: [{ ...requestId, ...parts }] });
const asked = (...parts: Partial<Header>[]): Edit => ({
  requestHeaders: parts.map((part) => ({ ...tenant, ...part })),
});
const extension = (parts: Parameters<typeof testExtension>[0] = {}): Edit => ({
  more: { extensions: [testExtension(parts)] },
});
const itemRules = (rules: Field["rules"]): Edit => ({ itemField: { rules } });
const body = (bodyBytes: number): Edit => ({ operation: { bodyBytes } });
const status = (parts: object): Edit => ({ more: { enums: [testEnum("platform.v1.Kind", [unspecified], parts)] } });
const service = (parts: object): Edit => ({ more: { services: [testService("platform.v1.ItemService", [], parts)] } });
const sunset = (sunsetOn: string) => ({
  operation: { deprecated: true, deprecation: { deprecatedOn: "2027-01-02", sunsetOn } },
});
const v2: Edit = {
  more: { packages: [testPackage("platform.v2")], messages: [testMessage("platform.v2.Item", [kind])] },
};
const failsWhen = (when: string): Edit => ({ operation: { errors: [{ reason: "ITEM_NOT_FOUND", when }] } });
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
  ["an error removed from an operation", "operation-reason-removed", failsWith()],
  ["a sunset brought forward", "sunset-brought-forward", sunset("2027-10-01"), sunset("2027-12-01")],
  ["a sunset in less than 180 days", "sunset-too-soon", sunset("2027-06-01"), { operation: { deprecated: true } }],
  ["a rate lowered", "limit-lowered", { operation: { rate: { perMinute: 60, burst: 100 } } }],
  ["a burst lowered", "limit-lowered", { operation: { rate: { perMinute: 600, burst: 10 } } }],
  ["a limit lowered", "limit-lowered", { limits: { bodyBytes: 1024 } }],
  ["a limit added", "limit-added", { limits: { fields: 9 } }],
  ["a limit removed", "limit-removed", {}, { limits: { fields: 9 } }],
  [
    "a rate removed",
    "limit-removed",
    { operation: { rate: undefined } },
    { operation: { rate: { perMinute: 9, burst: 0 } } },
  ],
  ["a larger body lowered", "limit-lowered", body(70_000), body(80_000)],
  ["a larger body no more", "limit-lowered", {}, body(70_000)],
  [
    "the header of a key, with retry safety raised",
    "header-removed",
    { operation: { retrySafety: "with_key" } },
    { operation: { retrySafety: "with_key", headers: ["Idempotency-Key"] } },
  ],
  ["a message removed", "message-removed", {}, { messages: [testMessage("platform.v1.Etag", [])] }],
  ["a field removed", "field-removed", { itemFields: [] }],
  ["a field renamed", "field-renamed", { itemFields: [{ ...kind, name: "type", jsonName: "type" }] }],
  ["a field renumbered", "field-renumbered", { itemField: { number: 9 } }],
  ["a field of another type", "field-type-changed", { itemField: { type: { kind: "scalar", name: "uint32" } } }],
  ["a field made a list", "field-type-changed", { itemField: { shape: "repeated" } }],
  ["a field made optional", "presence-changed", { itemField: { shape: "optional" } }],
  ["a field that may be absent now", "presence-changed", { itemField: { absentUntil: "`deleted`" } }],
  ["a field that was absent at times", "presence-changed", {}, { itemField: { absentUntil: "`deleted`" } }],
  [
    "an optional field with another condition",
    "presence-changed",
    { itemField: { shape: "optional", absentUntil: "`deleted`" } },
    { itemField: { shape: "optional", absentUntil: "it is read" } },
  ],
  ["a field moved into a oneof", "presence-changed", { itemField: { oneof: "content" } }],
  ["a documented value removed", "value-removed", { itemField: { documentedValues: ["login"] } }],
  ["max_len lowered", "constraint-tightened", idRules(64)],
  ["another pattern", "constraint-tightened", idRules(128, "^[a-y]*$")],
  [
    "a constraint of a message",
    "constraint-tightened",
    { request: { rules: { "cel[0].expression": "this.item_id != ''" } } },
  ],
  ["a constraint of a response removed", "promise-weakened", {}, itemRules({ "string.max_len": 9 })],
  ["a secret that is none any more", "secret-unmarked", {}, { itemField: { secret: true } }],
  ["a reason removed", "reason-removed", { values: [] }],
  ["another code", "reason-code-changed", { reason: { code: "aborted" } }],
  ["another HTTP status", "reason-code-changed", { reason: { httpStatus: 410 } }],
  ["a detail removed", "reason-detail-removed", { reason: { details: [] } }],
  ["a reason that is not sent any more", "reason-removed", { reason: { neverSent: true } }],
  ["an enum value removed", "enum-value-removed", { statuses: ["UNSPECIFIED"] }],
  [
    "an enum value renumbered",
    "enum-value-renumbered",
    status({ values: [{ ...unspecified, number: 7 }] }),
    status({}),
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
  ["an extension renumbered", "extension-changed", extension({ number: 50_001 }), extension()],
  ["an enum removed", "enum-removed", {}, { more: { enums: [testEnum("platform.v1.Kind", [unspecified])] } }],
  ["a request header required", "header-required", asked({ required: true })],
  ["a required request header added", "header-required", asked({}, { name: "X-Key", required: true })],
  ["a request header removed", "header-removed", { requestHeaders: [] }],
  ["a request header with a pattern", "constraint-tightened", asked({ pattern: "^a" })],
  ["a request header of every call no more", "header-removed", asked({ everyCall: false })],
  ["a response header removed", "header-removed", { responseHeaders: [] }],
  ["a response header that may be missing", "header-removed", answered({ required: false })],
  ["a response header without its pattern", "promise-weakened", answered({ pattern: undefined })],
  ["a package removed", "package-removed", {}, v2],
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
  ["one more error of an operation", "operation-reason-added", failsWith("ITEM_NOT_FOUND", "VAULT_NOT_FOUND")],
  ["a rate raised", "limit-raised", { operation: { rate: { perMinute: 601, burst: 100 } } }],
  ["a limit raised", "limit-raised", { limits: { bodyBytes: 65_537 } }],
  ["a larger body", "limit-raised", body(70_000)],
  ["a message added", "message-added", { messages: [testMessage("platform.v1.Etag", [testField("etag", "string")])] }],
  [
    "a field of a response, with a constraint",
    "field-added",
    { itemFields: [kind, testField("etag", "string", { number: 2, rules: { "string.min_len": 1 } })] },
  ],
  ["a documented value added", "value-added", { itemField: { documentedValues: ["login", "card", "file"] } }],
  ["max_len raised", "constraint-loosened", idRules(256)],
  ["a constraint removed", "constraint-loosened", { requestField: { rules: { "string.max_len": 128 } } }],
  ["a constraint of a response added", "promise-strengthened", itemRules({ "string.max_len": 9 })],
  ["a reason added", "reason-added", withReason(testReason("TEAPOT"))],
  ["a reason of every call added", "reason-added", withReason(testReason("TEAPOT", { everyCall: true }))],
  ["a response header of a reason", "reason-detail-added", { reason: { headers: ["Retry-After"] } }],
  ["an enum value added", "enum-value-added", { statuses: ["UNSPECIFIED", "OPEN", "CLOSED"] }],
  ["an extension added", "extension-added", { more: { extensions: [testExtension()] } }],
  ["an enum deprecated", "deprecation-announced", status({ deprecated: true }), status({})],
  ["a service deprecated", "deprecation-announced", service({ deprecated: true }), service({})],
  ["an enum added", "enum-added", { more: { enums: [testEnum("platform.v1.Kind", [unspecified])] } }],
  ["an optional request header", "header-added", asked({}, { name: "X-Key" })],
  ["a request header relaxed", "header-relaxed", {}, asked({ required: true })],
  ["a request header of every call", "header-added", asked({}), asked({ everyCall: false })],
  ["a response header", "header-added", { responseHeaders: [requestId, testHeader("X-Server")] }],
  ["a oneof with new fields", "oneof-added", { item: { oneofs: [content] } }],
  ["a package, and nothing of what it contains", "package-added", v2],
];

const decisions: readonly Row[] = [
  ["a condition of a failure removed", "guarantee-weakened", {}, failsWhen("Shredded.")],
];

const documentation: readonly Row[] = [
  ["an example", "comment-changed", { itemField: { example: "60" } }, { itemField: { example: "10" } }],
  ["of an operation", "comment-changed", { operation: { comment: "Other words." } }],
  ["about a secret", "secret-marked", { itemField: { secret: true } }],
  ["of a field", "comment-changed", { itemField: { comment: "Other words." } }],
  ["of a message", "comment-changed", { item: { comment: "Other words." } }],
  ["of a package", "comment-changed", { package: { comment: "Other words." } }],
  ["of an enum", "comment-changed", status({ comment: "Other words." }), status({})],
  ["of a service", "comment-changed", service({ comment: "Other words." }), service({})],
  ["of an extension", "comment-changed", extension({ comment: "Other words." }), extension()],
  ["of a reason's cause", "comment-changed", { reason: { causes: ["Another one."] } }],
  ["of a guarantee", "guarantee-reworded", failsWhen("It is shredded."), failsWhen("Shredded.")],
  ["of when an operation fails", "comment-changed", failsWhen("Shredded.")],
];

it("a change of promises names the texts that differ, and no others", () => {
  const before = factsOf(contractWith({ reason: { remedies: ["Look.", "Wait."] } }));
  const after = factsOf(contractWith({ reason: { remedies: ["Look.", "Wait a second."] } }));
  expect(compare({ released: before, current: after, today }).map(({ what }) => what)).toEqual([
    'platform.v1.ErrorReason.ITEM_NOT_FOUND: the remedy was "Wait." and is "Wait a second." now.',
  ]);
});

const contractEdits: readonly [step: Step, rows: readonly Row[]][] = [
  ["never", breaking],
  ["minor", decisions],
  ["minor", additive],
  ["patch", documentation],
];

describe.each(contractEdits)(
  "DECISIONS section 8: an edit of the contract that is released in this step: %s",
  (step, rows) => {
    it.each<Row>(rows)("%s: %s", (_what, rule, edit, before) => {
      expect(rulesOf(edit, before)).toEqual([rule]);
      expect(stepOfContract[changeRules[rule].kind]).toBe(step);
    });
  },
);

it("every rule but buf's has a row", () => {
  const tested = new Set<string>(contractEdits.flatMap(([, rows]) => rows.map(([, rule]) => rule)));
  expect(Object.keys(changeRules).filter((rule) => !tested.has(rule))).toEqual(["buf-breaking"]);
});

/** A message that callers send and receive. */
const exchanged = (rules: Field["rules"]): Edit => ({ item: { sent: true }, itemField: { rules } });
const itemId = (comment: string): Edit => ({ itemField: { comment } });
const remedies = (...texts: string[]): Edit => ({ reason: { remedies: texts } });

describe("what responses and texts promise is compared by strength", () => {
  it.each<[what: string, before: Edit, after: Edit, rules: ChangeRuleId[]]>([
    [
      "another pattern of a response cannot be compared",
      itemRules({ "string.pattern": "^[a-z]*$" }),
      itemRules({ "string.pattern": "^[a-y]*$" }),
      ["promise-weakened"],
    ],
    [
      "another constant of a response cannot be compared",
      itemRules({ "string.const": "a" }),
      itemRules({ "string.const": "b" }),
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
      answered({ pattern: "^[a-y]+$" }),
      ["promise-weakened"],
    ],
    [
      "a lower max_len of a response is stronger",
      itemRules({ "string.max_len": 9 }),
      itemRules({ "string.max_len": 8 }),
      ["promise-strengthened"],
    ],
    [
      "a higher max_len of a response is weaker",
      itemRules({ "string.max_len": 9 }),
      itemRules({ "string.max_len": 10 }),
      ["promise-weakened"],
    ],
    [
      "fewer values of a response are stronger",
      itemRules({ "string.in": ["a", "b"] }),
      itemRules({ "string.in": ["a"] }),
      ["promise-strengthened"],
    ],
    [
      "other values of a response cannot be compared",
      itemRules({ "string.in": ["a", "b"] }),
      itemRules({ "string.in": ["a", "c"] }),
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
    ["`when` removed with its reason", failsWhen("Shredded."), failsWith(), ["operation-reason-removed"]],
    ["`when` of a reason that an operation gets", failsWith(), failsWhen("Shredded."), ["operation-reason-added"]],
    ["a remedy removed", remedies("Look.", "Wait."), remedies("Look."), ["guarantee-weakened"]],
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
      ["guarantee-reworded"],
    ],
    ["one more remedy", remedies("Look."), remedies("Look.", "Wait."), ["comment-changed"]],
    ["remedies in another order", remedies("Look.", "Wait."), remedies("Wait.", "Look."), []],
  ])("%s", (_what, before, after, rules) => {
    expect(rulesOf(after, before)).toEqual(rules);
  });
});

describe("other words are no change of a promise, unless they promise less", () => {
  it.each<[was: string, is: string, rule: ChangeRuleId]>([
    ["Identifies it. Never reused.", "Identifies it.", "guarantee-weakened"],
    ["Never reused, not even after deletion.", "Not reused while the item exists.", "guarantee-weakened"],
    ["Never reused, not even after deletion.", "Never given to another item.", "guarantee-reworded"],
    ["Never reused, not even after deletion.", "Always present.", "guarantee-weakened"],
    ["Never reused. Never empty.", "Never empty. Never reused.", "comment-changed"],
    ["Never reused.", "Never reused. Always present.", "comment-changed"],
    ["Kept for 60 seconds.", "It is kept 60 s.", "guarantee-reworded"],
    ["Kept for 60 seconds.", "Kept for 10 seconds.", "guarantee-weakened"],
    ["Kept for 60 seconds.", "Kept for 60 minutes.", "guarantee-weakened"],
    ["Kept for 60 seconds.", "Kept for a while.", "guarantee-weakened"],
    ["Up to 1,000 items.", "No more than 1000 items.", "guarantee-reworded"],
    ["Lists three items.", "Lists two items.", "guarantee-weakened"],
    ["Of many calls, exactly one succeeds.", "Precisely one of many calls succeeds.", "guarantee-reworded"],
    ["Of many calls, exactly one succeeds.", "Usually, one of many calls succeeds.", "guarantee-weakened"],
    ["Of many calls, exactly one succeeds.", "Of many calls, one succeeds.", "guarantee-weakened"],
    ["Sent at most once.", "Sent at most twice.", "guarantee-weakened"],
    ["Always sorted.", "Sorted in every case.", "guarantee-reworded"],
    ["Always sorted.", "Often sorted.", "guarantee-weakened"],
    ["Never logged.", "It cannot be logged.", "guarantee-reworded"],
    ["Sorted by time.", "Typically sorted by time.", "guarantee-weakened"],
    ["Sorted by time.", "The order is that of time.", "comment-changed"],
    ["Sorted by time.", "Sorted by time. Usually short.", "comment-changed"],
    ["Once it is deleted, each one is listed.", "After deletion, each is listed.", "comment-changed"],
  ])("%s → %s", (was, is, rule) => {
    expect(rulesOf(itemId(is), itemId(was))).toEqual([rule]);
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
    expect(rulesOf(failsWith(), everyCall)).toEqual(["operation-reason-removed"]);
  });
});

it("the same contract has no changes", () => {
  expect(compare({ released, current: released, today })).toEqual([]);
});

/** Files of a workspace, by their paths. */
type Files = Readonly<Record<string, string>>;

const name = "@platform-rpc/client";

/** The files of a package with this report and these fields of package.json. */
function packageWith(code: string, manifest: object = {}): Files {
  return {
    "packages/client/api.md": `# The API\n\n## ${name}\n\n\`\`\`ts\nimport { A } from "a";\n\n${code}\n\`\`\`\n`,
    "packages/client/package.json": JSON.stringify({ name, ...manifest }),
  };
}

function apisOf(files: Files) {
  const root = mkdtempSync(join(tmpdir(), "apis-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const apis = readPackageApis(root);
  rmSync(root, { recursive: true });
  return apis;
}

/** Returns each change of the packages with its step: `major Options.timeoutMs`. */
function changesOf(before: Files, after: Files): readonly string[] {
  return compareApis(apisOf(before), apisOf(after)).map(({ step, name: changed }) => `${step} ${changed}`);
}

type PackageRow = [what: string, before: string, after: string, changes: string[]];

const options = "export interface Options {\n    timeoutMs?: number;\n}";
const call = "export declare function call(options: Options): Promise<void>;";
const both = `${options}\n\n${call}`;

const exportEdits: readonly PackageRow[] = [
  ["nothing", both, both, []],
  ["another order", both, `${call}\n\n${options}`, []],
  ["a new declaration", both, `${both}\n\nexport declare const version: string;`, ["minor version"]],
  ["a new overload", both, `${both}\n\nexport declare function call(): void;`, ["minor call"]],
  ["a new member", both, both.replace("number;\n", "number;\n    retry?: boolean;\n"), ["minor Options.retry"]],
  ["a declaration removed", both, options, ["major call"]],
  ["a member removed", both, both.replace("    timeoutMs?: number;\n", ""), ["major Options.timeoutMs"]],
  ["a member of another type", both, both.replace("number", "bigint"), ["major Options.timeoutMs"]],
  [
    "another member instead",
    both,
    both.replace("timeoutMs?: number", "deadline?: Date"),
    ["major Options.timeoutMs", "minor Options.deadline"],
  ],
  ["another supertype", both, both.replace("Options {", "Options extends Other {"), ["major Options"]],
  ["another signature", both, both.replace("options: Options", "options: string"), ["major call"]],
  [
    "parameters in another order",
    "export function call(\n    a: string,\n    b: string,\n): void;",
    "export function call(\n    b: string,\n    a: string,\n): void;",
    ["major call"],
  ],
  [
    "a required parameter in a line of its own",
    "export function call(\n    id: string,\n): void;",
    "export function call(\n    id: string,\n    key: string,\n): void;",
    ["major call.key"],
  ],
];

const result = "export interface Result {\n    id: string;\n}";
const port = "export interface Port {\n    read(): Promise<Result>;\n}";

/** A required member is added to a type. */
const inType = (what: string, before: string, of: string, step: Step): PackageRow => {
  const after = before.replace(`interface ${of} {\n`, "$&    key: string;\n");
  return [`a required member of ${what}`, before, after, [`${step} ${of}.key`]];
};
/** A required member is added after the last `id` of an object type that is written out. */
const inObject = (what: string, before: string, of: string, step: Step): PackageRow => {
  const after = before.replace(/ +id: string;\n(?![\s\S]*id: string;)/, "$&    key: string;\n");
  return [`a required member of an object ${what}`, before, after, [`${step} ${of}.key`]];
};

const memberEdits: readonly PackageRow[] = [
  inType("options", both, "Options", "major"),
  inType("what callers get", `${result}\n\nexport declare function call(): Promise<Result>;`, "Result", "minor"),
  inType("what callers pass", `${result}\n\nexport declare function call(result: Result): void;`, "Result", "major"),
  inType(
    "a type in a parameter's type",
    `${result}\n\n${port}\n\nexport const call: (port: Port) => void;`,
    "Result",
    "major",
  ),
  inType(
    "what callers implement",
    `${result}\n\n${port}\n\nexport declare function call(port?: Port): void;`,
    "Port",
    "major",
  ),
  inType(
    "what callers' functions get",
    `${result}\n\nexport interface Options {\n    onCall?: (result: Result) => void;\n}\n\n${call}`,
    "Result",
    "minor",
  ),
  inType(
    "the options of a constructor",
    `${result}\n\nexport declare class Client {\n    constructor(options: Result);\n}`,
    "Result",
    "major",
  ),
  inType(
    "a list of what callers get",
    `${result}\n\nexport declare function call(): (Result | string)[];`,
    "Result",
    "minor",
  ),
  inType("what nothing mentions", result, "Result", "major"),
  inType(
    "options in a type argument",
    "export interface LoginOptions {\n}\n\nexport declare function open(): Session<LoginOptions>;",
    "LoginOptions",
    "major",
  ),
  inObject("in a parameter", "export function call(input: {\n    id: string;\n}): void;", "call", "major"),
  inObject(
    "in an object in a parameter",
    "export function call(input: {\n    id: string;\n    of: {\n        id: string;\n    };\n}): void;",
    "call",
    "major",
  ),
  inObject(
    "in a parameter of a constructor",
    "export class Api {\n    constructor(input: {\n    id: string;\n});\n}",
    "Api",
    "major",
  ),
  inObject(
    "in a parameter of a method of what callers get",
    "export interface Api {\n    call(input: {\n    id: string;\n}): void;\n}\n\nexport function open(): Api;",
    "Api",
    "major",
  ),
  inObject(
    "in a parameter of a method of what callers implement",
    "export interface Port {\n    on(event: {\n    id: string;\n}): void;\n}\n\nexport function use(port: Port): void;",
    "Port",
    "minor",
  ),
  inObject("that a function returns", "export function call(): {\n    id: string;\n};", "call", "minor"),
];

const list = "command platform items list {\n    item: string;\n    --vault?: <id> = your only one;\n}";
const tool = "tool list_items {\n    cursor?: integer = 0;\n    limit?: integer = 100;\n}";
const answer = "result of list_items {\n    vaultId: string;\n}";
const codes = "exit codes of platform {\n    0: done;\n}";
const environment = "environment of platform-mcp {\n    PLATFORM_URL: string;\n}";
const constant = (what: string, of: string, was: string, is: string, step: Step): PackageRow => [
  what,
  `const ${of} = ${was};`,
  `const ${of} = ${is};`,
  [`${step} ${of}`],
];

const keys = (...names: readonly string[]) =>
  ["command platform whoami", ...names.map((key) => `    ${key}?: printed by --json`)].join("\n");

const programEdits: readonly PackageRow[] = [
  ["a command added", list, `${list}\n\ncommand platform watch {\n}`, ["minor platform watch"]],
  ["a command removed", list, "", ["major platform items list"]],
  ["a flag added", list, list.replace("}", "    --json?: boolean;\n}"), ["minor platform items list --json"]],
  ["a flag that must be given", list, list.replace("}", "    --to: <id>;\n}"), ["major platform items list --to"]],
  ["an argument that must be given", list, list.replace("}", "    to: string;\n}"), ["major platform items list.to"]],
  ["an argument that may be given", list, list.replace("}", "    to?: string;\n}"), ["minor platform items list.to"]],
  ["a flag removed", list, list.replace(/ +--vault.*\n/, ""), ["major platform items list --vault"]],
  [
    "another default of a flag",
    list,
    list.replace("your only one", "the first"),
    ["major platform items list --vault"],
  ],
  ["a key of --json added", keys("a"), keys("a", "b"), ["minor platform whoami.b"]],
  ["a key of --json removed", keys("a", "b"), keys("a"), ["major platform whoami.b"]],
  ["another exit code", "command platform\n    4 conflict", "command platform\n    7 conflict", ["major platform"]],
  ["an exit code added", codes, codes.replace("}", "    6: full;\n}"), ["minor exit codes of platform.6"]],
  ["an exit code with another meaning", codes, codes.replace("done", "failed"), ["major exit codes of platform.0"]],
  [
    "a variable that must be set",
    environment,
    environment.replace("}", "    PLATFORM_KEY: string;\n}"),
    ["major environment of platform-mcp.PLATFORM_KEY"],
  ],
  ["a tool added", tool, `${tool}\n\ntool put_item {\n}`, ["minor put_item"]],
  ["a tool removed", tool, "", ["major list_items"]],
  ["a parameter that must be given", tool, tool.replace("}", "    vault: string;\n}"), ["major list_items.vault"]],
  ["a parameter that may be given", tool, tool.replace("}", "    vault?: string;\n}"), ["minor list_items.vault"]],
  ["another page size", tool, tool.replace("100", "200"), ["major list_items.limit"]],
  [
    "a member of a result",
    answer,
    answer.replace("}", "    items: string[];\n}"),
    ["minor result of list_items.items"],
  ],
  constant("a lower timeout", "timeoutMs", "15000", "10000", "major"),
  constant("a higher timeout", "timeoutMs", "15000", "20000", "minor"),
  constant("fewer attempts", "retry.maxAttempts", "4", "3", "major"),
  constant("a shorter keep-alive", "defaultLimits.keepAliveMs", "65000", "5000", "major"),
  constant("a limit instead of none", "defaultLimits.connectionsPerAddress", "Infinity", "10", "major"),
  constant("no limit", "defaultLimits.connectionsPerAddress", "10", "Infinity", "minor"),
  constant("a smaller page at most", "list_items.limit.maximum", "500", "100", "major"),
  constant("a larger page at most", "list_items.limit.maximum", "500", "1000", "minor"),
  constant("a higher minimum", "list_items.limit.minimum", "1", "10", "major"),
  constant("a lower minimum", "list_items.limit.minimum", "10", "1", "minor"),
  constant("an annotation that is no longer true", "list_items.readOnlyHint", "true", "false", "major"),
];

const peer = (range: string) => ({ peerDependencies: { x: range } });
const optional = { peerDependenciesMeta: { x: { optional: true } } };

const manifestEdits: readonly [what: string, before: object, after: object, changes: string[]][] = [
  ["a peer added", {}, peer("^1"), ['major peerDependencies["x"]']],
  ["an optional peer added", {}, { ...peer("^1"), ...optional }, ['minor peerDependencies["x"]']],
  ["a peer with another range", peer("^1"), peer("^2"), ['major peerDependencies["x"]']],
  ["a peer with one more range", peer("^1"), peer("^1 || ^2"), ['minor peerDependencies["x"]']],
  ["a peer with one range less", peer("^1 || ^2"), peer("^2"), ['major peerDependencies["x"]']],
  ["a peer with a lower minimum", peer("^2.10.0"), peer("^2.7.0"), ['major peerDependencies["x"]']],
  ["a peer with a higher minimum", peer("^2.7.0"), peer("^2.10.0"), ['major peerDependencies["x"]']],
  ["a peer with a range that cannot be compared", peer("^1"), peer("1 - 3"), ['major peerDependencies["x"]']],
  ["a peer removed", peer("^1"), {}, ['minor peerDependencies["x"]']],
  ["a peer made optional", peer("^1"), { ...peer("^1"), ...optional }, ['major peerDependencies["x"]']],
  ["a peer made mandatory", { ...peer("^1"), ...optional }, peer("^1"), ['major peerDependencies["x"]']],
  ["an engine required", {}, { engines: { node: ">=18" } }, ["major engines.node"]],
  ["a higher engine", { engines: { node: ">=18" } }, { engines: { node: ">=20" } }, ["major engines.node"]],
  ["a lower engine", { engines: { node: ">=20" } }, { engines: { node: ">=18" } }, ["major engines.node"]],
  ["another main", { main: "./a.cjs" }, { main: "./b.cjs" }, ["major main"]],
  ["its types removed", { types: "./a.d.ts" }, {}, ["major types"]],
  ["another module type", {}, { type: "module" }, ["major type"]],
  ["a command added", { bin: { a: "./a.js" } }, { bin: { a: "./b.js", b: "./b.js" } }, ["minor bin.b"]],
  ["a command removed", { bin: { a: "./a.js" } }, {}, ["major bin.a"]],
  ["a system required", {}, { os: ["linux"] }, ["major os"]],
  ["one more system", { os: ["linux"] }, { os: ["linux", "darwin"] }, ["major os"]],
  ["one system less", { os: ["linux", "darwin"] }, { os: ["linux"] }, ["major os"]],
  ["an excluded system", { os: ["linux"] }, { os: ["!win32"] }, ["major os"]],
  ["every system", { os: ["linux"] }, {}, ["minor os"]],
  [
    "another target by publishConfig",
    { exports: { ".": "./a.js" } },
    { exports: { ".": "./a.js" }, publishConfig: { exports: { ".": "./b.js" } } },
    ['major exports["."]'],
  ],
  [
    "another main by publishConfig",
    { main: "./a.js" },
    { main: "./a.js", publishConfig: { main: "./b.js" } },
    ["major main"],
  ],
  [
    "types for older resolutions removed",
    { typesVersions: { "*": { a: ["./a.d.ts"] } } },
    {},
    ['major typesVersions["*"].a.0'],
  ],
  ["an entry added", {}, { exports: { "./new": { import: "./new.js" } } }, ['minor exports["./new"].import']],
  ["a condition removed", { exports: { ".": { require: "./a.cjs" } } }, {}, ['major exports["."].require']],
  [
    "another major of a peer of others",
    { dependencies: { p: "^1.2.0" } },
    { dependencies: { p: "^2.0.0" } },
    ['major dependencies["p"]'],
  ],
  ["another minor of it", { dependencies: { p: "^1.2.0" } }, { dependencies: { p: "^1.3.0" } }, []],
  ["another major of what is no peer", { dependencies: { q: "^1.2.0" } }, { dependencies: { q: "^2.0.0" } }, []],
];

const otherPackage: Files = {
  "packages/other/package.json": JSON.stringify({ name: "@platform-rpc/other", peerDependencies: { p: "^1" } }),
};

const storage = "packages/server/src/storage";
const schema = `${storage}/sqlite/database/schema.ts`;
const migration = `${storage}/postgres/migrations/0103-notes.ts`;
const server: Files = {
  "packages/server/package.json": JSON.stringify({ name: "@platform-rpc/server" }),
  [schema]: "export const schema = 1;\n",
  [`${storage}/postgres/schema.ts`]: "export const schema = 2;\n",
  [`${storage}/postgres/schema/tables.ts`]: "export const tables = 3;\n",
  [migration]: "export const notes = 4;\n",
};
const { [schema]: _schema, ...withoutSchema } = server;
const { [migration]: _migration, ...withoutMigration } = server;

const fileEdits: readonly [what: string, before: Files, after: Files, changes: string[]][] = [
  ["the schema edited", server, { ...server, [schema]: "export {};\n" }, [`never ${schema}`]],
  ["the schema removed", server, withoutSchema, [`never ${schema}`]],
  [
    "a part of the schema edited",
    server,
    { ...server, [`${storage}/postgres/schema/tables.ts`]: "export {};\n" },
    [`never ${storage}/postgres/schema/tables.ts`],
  ],
  ["a migration edited", server, { ...server, [migration]: "export {};\n" }, [`never ${migration}`]],
  ["a migration removed", server, withoutMigration, [`never ${migration}`]],
  ["a migration added", server, { ...server, [`${storage}/postgres/migrations/0104-more.ts`]: "export {};\n" }, []],
  ["another file of a storage", server, { ...server, [`${storage}/postgres/rights.ts`]: "export {};\n" }, []],
  ["a test of the schema", server, { ...server, [`${storage}/postgres/schema/tables.test.ts`]: "export {};\n" }, []],
  ["a package removed", packageWith(both), {}, [`major ${name}`]],
  ["a package added", {}, packageWith(both), []],
];

describe("an edit of a package: each change has its step", () => {
  it.each<PackageRow>([...exportEdits, ...memberEdits, ...programEdits])(
    "api.md: %s",
    (_what, before, after, changes) => {
      expect(changesOf(packageWith(before), packageWith(after))).toEqual(changes);
    },
  );

  it.each(manifestEdits)("package.json: %s", (_what, before, after, changes) => {
    const [was, is] = [before, after].map((manifest) => ({ ...packageWith(both, manifest), ...otherPackage }));
    expect(changesOf(was ?? {}, is ?? {})).toEqual(changes);
  });

  it.each(fileEdits)("files: %s", (_what, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  });
});

describe("a change passes if a changeset of its step contains its full name", () => {
  it.each<[step: string, text: string, announced: boolean]>([
    ["minor", "Adds `Options.retry`.", true],
    ["major", "Options.retry is new.", true],
    ["minor", "Adds `Options.retry`, which is optional.", true],
    ["patch", "Adds `Options.retry`.", false],
    ["minor", "Adds `retry` to `Options`.", false],
    ["minor", "Adds `CallOptions.retry`.", false],
    ["minor", "Adds `Call.Options.retry`.", false],
    ["minor", "Adds `Options.retryAfter`.", false],
    ["minor", "Adds `Options.retry.limit`.", false],
    ["minor", "Adds something.", false],
    ["minor", "<!-- Adds `Options.retry`. --> Adds something.", false],
    ["minor", "Adds something.\n\n[//]: # (Options.retry)", false],
    ["minor", "Adds ~~`Options.retry`~~ something.", false],
    ["minor", "This does not add `Options.retry`.", false],
    ["minor", "There is no `Options.retry`.", false],
    ["minor", "`Options.retry` was never added.", false],
    ["minor", "It isn't new. `Options.retry` isn't either.", false],
    ["minor", "`Options.retry` is no longer sent.", true],
    ["minor", "It is not new. `Options.retry` is.", true],
  ])("%s: %s", (step, text, announced) => {
    const changeset = parseChangeset("a.md", `---\n"${name}": ${step}\n---\n\n${text}\n`);
    expect(announces(changeset, name, "minor", [["Options.retry"]])).toBe(announced);
    expect(announces(changeset, "@platform-rpc/types", "minor", [["Options.retry"]])).toBe(false);
  });

  it.each([
    ["a package that is not published", '"@platform-rpc/typs": minor'],
    ["a step that does not exist", `"${name}": minro`],
    ["no step", `"${name}"`],
  ])("the front matter bumps %s", (_what, line) => {
    const changeset = parseChangeset("a.md", `---\n"${name}": patch\n${line}\n---\n\nWords.\n`);
    expect(misaddressed([changeset], [name]).map(({ rule, place }) => [rule, place.file])).toEqual([
      ["changeset", "a.md"],
    ]);
  });

  it("minor: an entry of a list is named with its list", () => {
    const changeset = parseChangeset("a.md", `---\n"${name}": minor\n---\n\nAdds Item.kind.\n`);
    expect(announces(changeset, name, "minor", [["Item.kind"]])).toBe(true);
    expect(announces(changeset, name, "minor", [["Item.kind"], ["passport"]])).toBe(false);
  });
});
