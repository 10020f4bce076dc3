import type { ChangeRuleId } from "../change-rules.ts";

/** The released contract of the proofs. */
export const releasedProto = `syntax = "proto3";

package platform.v1;

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
  string kind = 2;
  State state = 3;
}

enum State {
  STATE_UNSPECIFIED = 0;
  STATE_LIVE = 1;
  STATE_DELETED = 2;
}
`;

/** A change of the released contract, and a program that was written for the release. */
export interface Proof {
  readonly rule: ChangeRuleId;
  /** A text of the released contract, and what replaces it. */
  readonly edit: readonly [before: string, after: string];
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

/** Uses everything that the release contains. */
const usesEverything = `${runtime("create", "fromBinary", "toJsonString")}
${contract("GetItemRequestSchema", "ItemSchema", "ItemService", "PutItemRequestSchema", "State")}
${stored}
const put = create(PutItemRequestSchema, { item: { itemId: "a", kind: "b", state: State.LIVE } });
if (toJsonString(ItemSchema, put.item!) !== '{"itemId":"a","kind":"b","state":"STATE_LIVE"}') throw new Error("JSON differs.");
if (ItemService.method.getItem.input !== GetItemRequestSchema) throw new Error("A name has another meaning.");
`;

export const proofs: readonly Proof[] = [
  {
    rule: "operation-removed",
    edit: ["  rpc PutItem(PutItemRequest) returns (Item);\n", ""],
    program: `${contract("ItemService")}export const used = ItemService.method.putItem;\n`,
  },
  { rule: "field-removed", edit: ["  string kind = 2;\n", ""], program: readsKind },
  { rule: "field-renumbered", edit: ["kind = 2", "kind = 12"], program: readsStored },
  { rule: "presence-changed", edit: ["string kind", "optional string kind"], program: readsKind },
  { rule: "enum-value-renumbered", edit: ["STATE_DELETED = 2", "STATE_DELETED = 3"], program: readsStored },
  {
    rule: "operation-added",
    edit: ["service ItemService {\n", "service ItemService {\n  rpc DropItem(GetItemRequest) returns (Item);\n"],
    program: usesEverything,
  },
  {
    rule: "field-added",
    edit: ["  State state = 3;\n", "  State state = 3;\n  string title = 9;\n"],
    program: usesEverything,
  },
  {
    rule: "enum-value-added",
    edit: ["  STATE_LIVE = 1;\n", "  STATE_LIVE = 1;\n  STATE_SHREDDED = 3;\n"],
    program: usesEverything,
  },
];

/** A change of a package's API, and a program that was written for the release. */
export interface ApiProof {
  readonly what: string;
  readonly level: "major" | "minor";
  readonly released: string;
  readonly changed: string;
  /** Imports the package as `#package`. It compiles with the release. */
  readonly program: string;
}

const call = "export declare function call(options?: CallOptions): string;";

/** With a major change the program does not compile, with a minor one it does. */
export const apiProofs: readonly ApiProof[] = [
  {
    what: "a required member of exported options",
    level: "major",
    released: `export interface CallOptions {\n    timeoutMs?: number;\n}\n\n${call}`,
    changed: `export interface CallOptions {\n    timeoutMs?: number;\n    key: string;\n}\n\n${call}`,
    program: 'import type { CallOptions } from "#package";\nexport const options: CallOptions = {};\n',
  },
  {
    what: "a member of what callers only receive",
    level: "minor",
    released: "export interface Answer {\n    id: string;\n}\n\nexport declare function ask(): Answer;",
    changed: "export interface Answer {\n    id: string;\n    at: number;\n}\n\nexport declare function ask(): Answer;",
    program: 'import { ask } from "#package";\nexport const id: string = ask().id;\n',
  },
];
