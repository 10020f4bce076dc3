import type { FileRegistry } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import { changesSince } from "../breaking.ts";
import { buildEdited, type Edit, edited, workspaceRoot } from "../contract-copy.ts";
import type { ChangeKind } from "../finding.ts";
import { lockContract } from "../lock/lock-contract.ts";
import { printJson } from "../lock/print.ts";
import type { ReleasedContract } from "../released-contract.ts";
import { readSources, type Sources } from "../sources.ts";
import { type ChangeRuleId, kindOf } from "./change-rules.ts";

const sources = readSources(workspaceRoot);
let contract: FileRegistry;
let released: ReleasedContract;

beforeAll(async () => {
  contract = await buildEdited([]);
  const lock = lockContract(contract, sources);
  released = { lock, text: printJson(lock) };
});

/** Today's contract with an edit, compared with today's contract. */
async function changesBy(edits: readonly Edit[], hasChangeset = false) {
  return changesSince(released, await buildEdited(edits), sources, hasChangeset);
}

const item = "v1/item.proto";
const error = "v1/error.proto";
const vaultService = "v1/vault_service.proto";
const gateway = "v1/identity_gateway_service.proto";
const vaultAdmin = "internal/v1/vault_admin_service.proto";

const end = "    option deprecated = true;\n    option idempotency_level";
const sunset = (day: string) =>
  `retry_safety: RETRY_SAFETY_IDEMPOTENT\n deprecation: {deprecated_on: "2027-01-01" sunset_on: "${day}"}`;
const newRpc = `service VaultService {
  // Restores. Errors: ITEM_NOT_FOUND.
  rpc EraseItem(DeleteItemRequest) returns (DeleteItemResponse) {
    option (platform.options.v1.operation) = {
      visibility: VISIBILITY_PUBLIC
      required_scopes: ["vault.items:delete"]
      retry_safety: RETRY_SAFETY_NONE
    };
  }
`;

const breaking: readonly [what: string, rule: ChangeRuleId, ...edits: Edit[]][] = [
  ["an operation removed", "operation-removed", [vaultService, / {2}rpc DeleteItem[\s\S]*?\n {2}}\n/, ""]],
  [
    "a request of another type",
    "operation-type-changed",
    [vaultService, /DeleteItem\(DeleteItemRequest/, "DeleteItem(Cursor"],
  ],
  [
    "an answer of another type",
    "operation-type-changed",
    [vaultService, /returns \(DeleteItemResponse/, "returns (Item"],
  ],
  ["visibility narrowed", "visibility-narrowed", [vaultService, /VISIBILITY_PUBLIC/, "VISIBILITY_PRIVATE"]],
  [
    "a scope added",
    "scope-added",
    [vaultService, /\["vault.items:delete"\]/, '["vault.items:delete", "vault.items:write"]'],
  ],
  ["retry safety lowered to none", "retry-safety-lowered", [gateway, /SAFETY_WITH_KEY/, "SAFETY_NONE"]],
  [
    "retry safety lowered to a key",
    "retry-safety-lowered",
    [vaultService, /RETRY_SAFETY_IDEMPOTENT/, "RETRY_SAFETY_WITH_KEY"],
  ],
  [
    "an error that an operation no longer names",
    "operation-reason-removed",
    [vaultService, / {2}\/\/ SEQUENCE_EXHAUSTED, RATE_LIMITED\./, "  // RATE_LIMITED."],
  ],
  ["a message removed", "message-removed", [error, /\n\/\/ VersionConflict is[\s\S]*/, ""]],
  ["a field removed", "field-removed", [item, / {2}\/\/ True for a tombstone[\s\S]*?bool deleted = 10;\n/, ""]],
  ["a field renamed", "field-renamed", [item, /bool deleted =/, "bool removed ="]],
  ["a field renumbered", "field-renumbered", [item, /bool deleted = 10/, "bool deleted = 99"]],
  ["uint32 made int32", "field-type-changed", [item, /uint32 sequence/, "int32 sequence"]],
  ["uint32 made uint64", "field-type-changed", [item, /uint32 sequence/, "uint64 sequence"]],
  ["a string made a list", "field-type-changed", [item, /string kind = 5/, "repeated string kind = 5"]],
  [
    "a message made another",
    "field-type-changed",
    [item, /EncryptedPayload encrypted_payload/, "WrappedKey encrypted_payload"],
  ],
  ["a field made optional", "presence-changed", [item, /bool deleted =/, "optional bool deleted ="]],
  [
    "a field that may be absent now, by its comment",
    "presence-changed",
    [vaultService, /deletion left it\. Always present\./, "deletion left it. Absent unless deleted."],
  ],
  [
    "a field that is no longer said to be absent",
    "presence-changed",
    [gateway, /The token for brokers\. Absent unless approved\./, "The token for brokers."],
  ],
  [
    "a field that must be sent",
    "required-field-added",
    [
      vaultService,
      /uint32 base_version = 3/,
      "string why = 4 [(buf.validate.field).string.min_len = 1];\n uint32 base_version = 3",
    ],
  ],
  [
    "a number that must be sent",
    "required-field-added",
    [
      vaultService,
      /uint32 base_version = 3/,
      "uint32 why = 4 [(buf.validate.field).uint32.gte = 1];\n uint32 base_version = 3",
    ],
  ],
  [
    "a field whose pattern refuses what is empty",
    "required-field-added",
    [
      vaultService,
      /uint32 base_version = 3/,
      'string why = 4 [(buf.validate.field).string.pattern = "^a+$"];\n uint32 base_version = 3',
    ],
  ],
  [
    "a message that must be sent",
    "required-field-added",
    [
      vaultService,
      /uint32 base_version = 3/,
      "Cursor why = 4 [(buf.validate.field).required = true];\n uint32 base_version = 3",
    ],
  ],
  ["max_len lowered", "constraint-tightened", [gateway, /max_len: 256/, "max_len: 255"]],
  ["min_len raised", "constraint-tightened", [gateway, /min_len: 1/, "min_len: 2"]],
  ["a number's floor raised", "constraint-tightened", [vaultService, /uint32\.gte = 1/, "uint32.gte = 2"]],
  [
    "another pattern",
    "constraint-tightened",
    [item, /max_len: 49152\s+pattern: "\^\[A-Za-z0-9_-\]\*\$"/, 'max_len: 49152\n pattern: "^[A-Za-z0-9]*$"'],
  ],
  [
    "a constraint where there was none",
    "constraint-tightened",
    [item, /uint32 version = 5;/, "uint32 version = 5 [(buf.validate.field).uint32.lte = 9];"],
  ],
  [
    "max_items where there was none",
    "constraint-tightened",
    [item, /wrapped_keys = 9;/, "wrapped_keys = 9 [(buf.validate.field).repeated.max_items = 9];"],
  ],
  [
    "a rule for a message as a whole",
    "constraint-tightened",
    [
      vaultService,
      /message DeleteItemRequest \{/,
      'message DeleteItemRequest { option (buf.validate.message).cel = {id: "a", expression: "this.vault_id != this.item_id"};',
    ],
  ],
  [
    "alternatives of which one must be sent",
    "constraint-tightened",
    [
      vaultService,
      /message DeleteItemRequest \{/,
      "message DeleteItemRequest { oneof why { option (buf.validate.oneof).required = true; bool asked = 9; }",
    ],
  ],
  ["a documented value removed", "value-removed", [item, / {2}\/\/ A256GCM, XC20P\. Callers/, "  // A256GCM. Callers"]],
  ["the one documented value removed", "value-removed", [gateway, /documented value: Bearer\. /, ""]],
  ["a reason removed", "reason-removed", [error, / {2}\/\/ The server failed\.[\s\S]*?\}\];\n/, ""]],
  ["a reason renamed", "reason-removed", [error, /REASON_MALFORMED_HTTP/, "REASON_BAD_HTTP"]],
  [
    "a reason with another code",
    "reason-code-changed",
    [error, /code: CODE_ABORTED/, "code: CODE_FAILED_PRECONDITION"],
  ],
  ["a reason with another HTTP status", "reason-code-changed", [error, /http_status: 409/, "http_status: 412"]],
];

const additive: readonly [what: string, rule: ChangeRuleId, ...edits: Edit[]][] = [
  ["an operation added", "operation-added", [vaultService, /service VaultService \{\n/, newRpc]],
  ["a scope removed", "scope-removed", [vaultService, /\["vault.items:delete"\]/, "[]"]],
  ["retry safety raised", "retry-safety-raised", [gateway, /SAFETY_WITH_KEY/, "SAFETY_IDEMPOTENT"]],
  [
    "an operation deprecated",
    "deprecation-announced",
    [vaultService, / {4}option idempotency_level/, end],
    [vaultService, /retry_safety: RETRY_SAFETY_IDEMPOTENT/, sunset("2027-12-31")],
  ],
  [
    "one more error of an operation",
    "operation-reason-added",
    [vaultService, /SEQUENCE_EXHAUSTED, RATE_LIMITED\./, "SEQUENCE_EXHAUSTED, RATE_LIMITED, PRINCIPAL_DISABLED."],
  ],
  ["a message added", "message-added", [item, /message Cursor \{/, "message Etag {}\n\n// Cursor.\nmessage Cursor {"]],
  [
    "a field of an answer added",
    "field-added",
    [item, /message Cursor \{\n/, "message Cursor {\n string etag = 99;\n"],
  ],
  [
    "a field of an answer added, with a constraint",
    "field-added",
    [item, /message Cursor \{\n/, "message Cursor {\n string etag = 99 [(buf.validate.field).string.min_len = 1];\n"],
  ],
  [
    "a field of a request that may be left out",
    "field-added",
    [
      vaultService,
      /uint32 base_version = 3/,
      "string why = 4 [(buf.validate.field).string.max_len = 9];\n uint32 base_version = 3",
    ],
  ],
  ["max_len raised", "constraint-loosened", [gateway, /max_len: 256/, "max_len: 257"]],
  ["min_len lowered", "constraint-loosened", [gateway, /min_len: 1/, "min_len: 0"]],
  ["a constraint removed", "constraint-loosened", [vaultService, / \[\(buf\.validate\.field\)\.uint32\.gte = 1\]/, ""]],
  ["a documented value added", "value-added", [item, /A256GCM, XC20P\. Callers/, "A256GCM, XC20P, AEGIS256. Callers"]],
  [
    "a reason added",
    "reason-added",
    [
      error,
      /ERROR_REASON_UNSPECIFIED = 0;/,
      "ERROR_REASON_UNSPECIFIED = 0;\n ERROR_REASON_TEAPOT = 31 [(platform.options.v1.reason) = {code: CODE_UNKNOWN http_status: 418}];",
    ],
  ],
];

const documentation: readonly [what: string, ...edits: Edit[]][] = [
  ["a field's comment", [item, /\/\/ The vault whose history this is\./, "// The vault."]],
  ["a message's comment", [item, /position of one change in/, "place of one change in"]],
  ["an operation's comment", [vaultService, /Deletes an item, if it is still/, "Deletes an item that is still"]],
  ["a reason's comment", [error, /The vault holds no such item\./, "There is no such item."]],
];

const unseen: readonly [what: string, ...edits: Edit[]][] = [
  ["a private operation removed", [vaultAdmin, / {2}rpc GetItem\([\s\S]*?\n {2}}\n/, ""]],
  ["a private constraint tightened", [vaultAdmin, /lte: 500/, "lte: 50"]],
  [
    "a comment wrapped otherwise",
    [item, /Identifies the item in its vault\. Never/, "Identifies the item in its vault.\n  // Never"],
  ],
  ["messages in another order", [item, /(\/\/ WrappedKey is[\s\S]*?\n\}\n)\n(\/\/ Cursor is[\s\S]*?\n\}\n)/, "$2\n$1"]],
];

describe.concurrent("DECISIONS section 8: what breaks callers fails, whatever a changeset says", () => {
  it.each(breaking)("refuses %s", async (_what, rule, ...edits) => {
    const findings = await changesBy(edits, true);
    const broken = findings.filter(({ change }) => change === "breaking");
    expect(new Set(broken.map((finding) => finding.rule))).toEqual(new Set([rule]));
    for (const { verdict, message, place } of broken) {
      expect(verdict).toBe("fails");
      expect(message).toContain("This breaks callers: ");
      expect(message).toContain("Instead: ");
      expect(place.file).toMatch(/^proto\/platform\/|released\/contract\.lock\.json$/);
      expect(place.line).toBeGreaterThan(1);
    }
  });
});

describe.concurrent("DECISIONS section 8: additions pass, once a changeset tells callers of them", () => {
  it.each(additive)("classifies %s", async (_what, rule, ...edits) => {
    const told = (await changesBy(edits, true)).filter(({ change }) => change !== "documentation");
    expect(told.map((finding) => [finding.rule, finding.change, finding.verdict])).toEqual([
      [rule, "additive", "noted"],
    ]);
    const untold = (await changesBy(edits)).filter(({ change }) => change !== "documentation");
    expect(untold.map((finding) => [finding.rule, finding.verdict])).toEqual([[rule, "fails"]]);
    expect(untold[0]?.message).toContain("pnpm changeset");
  });
});

describe.concurrent("words may change", () => {
  it.each(documentation)("notes %s", async (_what, ...edits) => {
    const findings = await changesBy(edits);
    expect(findings.map(({ rule, verdict }) => [rule, verdict])).toEqual([["comment-changed", "noted"]]);
  });

  it.each(unseen)("does not even see %s", async (_what, ...edits) => {
    expect(await changesBy(edits)).toEqual([]);
  });
});

describe("the default limits are part of the contract", () => {
  const limits = "packages/server/src/http/limits.ts";
  const platform = "packages/server/src/platform.ts";

  it.each<[string, ChangeRuleId, ChangeKind, Edit]>([
    ["a limit lowered", "limit-lowered", "breaking", [limits, /bodyBytes: 64 \* 1024/, "bodyBytes: 63 * 1024"]],
    ["a time shortened", "limit-lowered", "breaking", [limits, /defaultTimeoutMs: 15_000/, "defaultTimeoutMs: 5_000"]],
    ["a rate lowered", "limit-lowered", "breaking", [platform, /perMinute: 600/, "perMinute: 60"]],
    ["a burst lowered", "limit-lowered", "breaking", [platform, /burst: 100/, "burst: 10"]],
    [
      "a limit added",
      "limit-added",
      "breaking",
      [limits, /bodyBytes: 64 \* 1024,/, "bodyBytes: 64 * 1024,\n  fields: 9,"],
    ],
    ["a limit raised", "limit-raised", "additive", [limits, /headerBytes: 16 \* 1024/, "headerBytes: 32 * 1024"]],
    ["a limit removed", "limit-removed", "additive", [limits, / {2}receiveTimeoutMs: 10_000,\n/, ""]],
  ])("classifies %s", (_what, rule, kind, edit) => {
    const findings = changesSince(released, contract, withEdit(edit), true);
    expect(findings.map((finding) => [finding.rule, finding.change, finding.place.file])).toEqual([
      [rule, kind, edit[0]],
    ]);
    expect(kindOf(rule)).toBe(kind);
  });

  it("leaves alone how connections are tended", () => {
    expect(changesSince(released, contract, withEdit([limits, /drainMs: 2_000/, "drainMs: 1_000"]), true)).toEqual([]);
  });

  it("does not take limits for absent that it cannot read", () => {
    const moved = withEdit([limits, /export const defaultLimits/, "export const limits"]);
    expect(() => changesSince(released, contract, moved, true)).toThrow("no constant defaultLimits");
    const computed = withEdit([limits, /drainMs: 2_000/, "drainMs: twoSeconds"]);
    expect(() => changesSince(released, contract, computed, true)).toThrow("more than plain data");
  });

  function withEdit(edit: Edit): Sources {
    const [file] = edit;
    return new Map([...sources, [file, edited(sources.get(file) ?? "", edit)]]);
  }
});
