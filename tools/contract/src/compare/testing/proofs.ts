import type { ChangeRuleId } from "../change-rules.ts";

/** The released contract of the proofs. */
export const releasedProto = `syntax = "proto3";

package platform.v1;

import "google/protobuf/descriptor.proto";
import "platform/options/v1/reason.proto";

extend google.protobuf.FieldOptions {
  string label = 50101;
}

service ItemService {
  rpc GetItem(GetItemRequest) returns (Item);
  rpc PutItem(PutItemRequest) returns (Item);
}

message GetItemRequest {
  string item_id = 1;
}

message PutItemRequest {
  Item item = 1;
}

message Item {
  string item_id = 1;
  string kind = 2 [(label) = "a"];
  State state = 3;
  oneof content {
    string text = 4;
    bytes data = 5;
  }
}

// Only this message uses it, so that it can be removed.
message Etag {
  string value = 1;
}

enum State {
  STATE_UNSPECIFIED = 0;
  STATE_LIVE = 1;
  STATE_DELETED = 2;
}

enum Color {
  COLOR_UNSPECIFIED = 0;
}

enum ErrorReason {
  ERROR_REASON_UNSPECIFIED = 0;
  ERROR_REASON_ITEM_NOT_FOUND = 1 [(platform.options.v1.reason) = {code: CODE_NOT_FOUND, http_status: 404}];
}
`;

/** A change of the released contract, and a program that was written for the release. */
export interface Proof {
  readonly rule: ChangeRuleId;
  /** Texts of the released contract, and what replaces them. Empty: the whole contract is removed. */
  readonly edits: readonly (readonly [before: string | RegExp, after: string])[];
  /** Imports the contract as `#contract`. It compiles and runs with the release. */
  readonly program: string;
}

const contract = (...names: readonly string[]) => `import { ${names.join(", ")} } from "#contract";\n`;
const runtime = (...names: readonly string[]) => `import { ${names.join(", ")} } from "@bufbuild/protobuf";\n`;

const readsKind = `${runtime("create")}${contract("ItemSchema")}const kind: string = create(ItemSchema).kind;\n`;

/** Reads an item that a program wrote with the release: the id "a", the kind "b", deleted. */
const stored = `const item = fromBinary(ItemSchema, Uint8Array.of(10, 1, 97, 18, 1, 98, 24, 2));
if (item.itemId !== "a" || item.kind !== "b") throw new Error("The stored item is misread.");
if (State[item.state] !== "DELETED") throw new Error("The stored state is misread.");
`;
const readsStored = `${runtime("fromBinary")}${contract("ItemSchema", "State")}${stored}`;

/** The program fails with the changed contract. */
export const breakingProofs: readonly Proof[] = [
  { rule: "package-removed", edits: [], program: `${contract("ItemSchema")}export const used = ItemSchema;\n` },
  {
    rule: "operation-removed",
    edits: [["  rpc PutItem(PutItemRequest) returns (Item);\n", ""]],
    program: `${contract("ItemService")}export const used = ItemService.method.putItem;\n`,
  },
  {
    rule: "operation-type-changed",
    edits: [["GetItem(GetItemRequest)", "GetItem(PutItemRequest)"]],
    program: `${runtime("create", "type MessageShape")}${contract("GetItemRequestSchema", "ItemService")}
const request: MessageShape<typeof ItemService.method.getItem.input> = create(GetItemRequestSchema, { itemId: "a" });
`,
  },
  {
    rule: "message-removed",
    edits: [[/message Etag \{[^}]*\}\n/, ""]],
    program: `${runtime("create")}${contract("EtagSchema")}create(EtagSchema);\n`,
  },
  { rule: "field-removed", edits: [[/ {2}string kind .*\n/, ""]], program: readsKind },
  { rule: "field-renamed", edits: [["string kind", "string sort"]], program: readsKind },
  { rule: "field-renumbered", edits: [["kind = 2", "kind = 12"]], program: readsStored },
  { rule: "field-type-changed", edits: [["string kind", "uint32 kind"]], program: readsKind },
  { rule: "presence-changed", edits: [["string kind", "optional string kind"]], program: readsKind },
  {
    rule: "oneof-removed",
    edits: [[/ {2}oneof content \{\n([^}]*) {2}\}\n/, "$1"]],
    program: `${runtime("create")}${contract("ItemSchema")}
const { content } = create(ItemSchema, { content: { case: "text", value: "a" } });
const text: string | undefined = content.case === "text" ? content.value : undefined;
`,
  },
  {
    rule: "enum-removed",
    edits: [[/enum Color \{[^}]*\}\n/, ""]],
    program: `${contract("Color")}export const used = Color.UNSPECIFIED;\n`,
  },
  {
    rule: "enum-value-removed",
    edits: [["  STATE_DELETED = 2;\n", ""]],
    program: `${contract("State")}const state: State = State.DELETED;\n`,
  },
  { rule: "enum-value-renumbered", edits: [["STATE_DELETED = 2", "STATE_DELETED = 3"]], program: readsStored },
  {
    rule: "reason-removed",
    edits: [[/ {2}ERROR_REASON_ITEM_NOT_FOUND .*\n/, ""]],
    program: `${contract("ErrorReason")}const reason: ErrorReason = ErrorReason.ITEM_NOT_FOUND;\n`,
  },
  {
    rule: "extension-changed",
    edits: [["string label = 50101", "string label = 50102"]],
    program: `${runtime("getOption")}${contract("ItemSchema", "label")}
// Its own copy of the descriptor was compiled with the release.
ItemSchema.field.kind.proto.options!.$unknown = [{ no: 50101, wireType: 2, data: Uint8Array.of(1, 97) }];
if (getOption(ItemSchema.field.kind, label) !== "a") throw new Error("The option is not found.");
`,
  },
];

const everything = [
  ...["Color", "ErrorReason", "EtagSchema", "GetItemRequestSchema", "ItemSchema", "ItemService", "label"],
  ...["PutItemRequestSchema", "State"],
];
/** Uses everything that the release contains. */
const usesEverything = `${runtime("create", "fromBinary", "fromJsonString", "getOption", "toJsonString")}${contract(...everything)}
${stored}
const put = create(PutItemRequestSchema, { item: { itemId: "a", kind: "b", state: State.LIVE } });
const got = fromJsonString(ItemSchema, '{"itemId":"a","kind":"b","state":"STATE_LIVE","text":"c"}');
const text: string | undefined = got.content.case === "text" ? got.content.value : undefined;
if (text !== "c" || toJsonString(ItemSchema, put.item!) !== '{"itemId":"a","kind":"b","state":"STATE_LIVE"}') throw new Error("JSON differs.");
if (!(create(EtagSchema, { value: "a" }).value === "a" && Color.UNSPECIFIED === 0 && ErrorReason.ITEM_NOT_FOUND === 1)) throw new Error("A name has another meaning.");
if (!(ItemService.method.getItem.input === GetItemRequestSchema && ItemService.method.putItem.output === ItemSchema)) throw new Error("A name has another meaning.");
if (getOption(ItemSchema.field.kind, label) !== "a") throw new Error("The option is not found.");
`;

/** The program works with the changed contract, too. */
export const additiveProofs: readonly Proof[] = [
  {
    rule: "operation-added",
    edits: [["service ItemService {\n", "service ItemService {\n  rpc DropItem(GetItemRequest) returns (Item);\n"]],
    program: usesEverything,
  },
  {
    rule: "message-added",
    edits: [["// Only this", "message Cursor {\n  string value = 1;\n}\n\n// Only this"]],
    program: usesEverything,
  },
  {
    rule: "field-added",
    edits: [["  State state = 3;\n", "  State state = 3;\n  string title = 9;\n"]],
    program: usesEverything,
  },
  {
    rule: "oneof-added",
    edits: [["  oneof content {", "  oneof source {\n    string url = 8;\n  }\n  oneof content {"]],
    program: usesEverything,
  },
  {
    rule: "enum-added",
    edits: [["enum Color", "enum Size {\n  SIZE_UNSPECIFIED = 0;\n}\n\nenum Color"]],
    program: usesEverything,
  },
  {
    rule: "enum-value-added",
    edits: [["  STATE_LIVE = 1;\n", "  STATE_LIVE = 1;\n  STATE_SHREDDED = 3;\n"]],
    program: usesEverything,
  },
  {
    rule: "reason-added",
    edits: [[/( {2}ERROR_REASON_ITEM_NOT_FOUND = )1(.*\n)/, "$&  ERROR_REASON_GONE = 2$2"]],
    program: usesEverything,
  },
  {
    rule: "extension-added",
    edits: [["  string label = 50101;\n", "  string label = 50101;\n  string hint = 50102;\n"]],
    program: usesEverything,
  },
  {
    rule: "deprecation-announced",
    edits: [['[(label) = "a"]', '[(label) = "a", deprecated = true]']],
    program: usesEverything,
  },
  {
    rule: "comment-changed",
    edits: [["// Only this message", "// Nothing but this message"]],
    program: usesEverything,
  },
];

/** What a server enforces, or a document says: no program in TypeScript compiles or runs differently. compare.test.ts has a row for each. */
export const rulesOfServers: readonly ChangeRuleId[] = [
  "package-added",
  "visibility-narrowed",
  "visibility-widened",
  "scope-added",
  "scope-removed",
  "retry-safety-lowered",
  "retry-safety-raised",
  "deprecation-withdrawn",
  "sunset-brought-forward",
  "sunset-put-off",
  "sunset-too-soon",
  "operation-reason-added",
  "operation-reason-removed",
  "required-field-added",
  "constraint-tightened",
  "constraint-loosened",
  "promise-weakened",
  "promise-strengthened",
  "value-added",
  "value-removed",
  "reason-code-changed",
  "reason-detail-added",
  "reason-detail-removed",
  "limit-lowered",
  "limit-raised",
  "limit-added",
  "limit-removed",
  "header-added",
  "header-required",
  "header-relaxed",
  "header-removed",
  "secret-marked",
  "secret-unmarked",
  "guarantee-reworded",
  "guarantee-withdrawn",
  "buf-breaking",
];
