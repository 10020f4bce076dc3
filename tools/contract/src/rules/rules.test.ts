import { describe, expect, it } from "vitest";
import { buildEdited, type Edit, edited, workspaceRoot } from "../contract-copy.ts";
import { judge } from "../lint.ts";
import { readSources } from "../sources.ts";
import { rules } from "./index.ts";

const sources = readSources(workspaceRoot);

const item = "v1/item.proto";
const error = "v1/error.proto";
const brokerToken = "v1/broker_token.proto";
const vaultService = "v1/vault_service.proto";
const gateway = "v1/identity_gateway_service.proto";
const vaultAdmin = "internal/v1/vault_admin_service.proto";
const device = "internal/v1/device_authorization_service.proto";
const accessAdmin = "internal/v1/access_admin_service.proto";
const internalError = "internal/v1/error.proto";

const option = / {4}option \(platform\.options\.v1\.operation\) = {[\s\S]*?};\n/;
const deprecated = (days: string): Edit[] => [
  [vaultService, / {4}option idempotency_level/, "    option deprecated = true;\n    option idempotency_level"],
  [
    vaultService,
    /retry_safety: RETRY_SAFETY_IDEMPOTENT/,
    `retry_safety: RETRY_SAFETY_IDEMPOTENT deprecation: {${days}}`,
  ],
];

const offences: readonly [what: string, rule: string, words: string, ...edits: Edit[]][] = [
  ["an operation without options", "operation-visibility", "is of no visibility", [vaultService, option, ""]],
  ["an operation without options", "operation-scopes", "names no required scope", [vaultService, option, ""]],
  ["an operation without options", "operation-retry-safety", "leaves open", [vaultService, option, ""]],
  [
    "no visibility",
    "operation-visibility",
    "DeleteItem is of no visibility",
    [vaultService, / +visibility: [^\n]*\n/, ""],
  ],
  ["no scope", "operation-scopes", "names no required scope", [gateway, / +required_scopes: [^\n]*\n/, ""]],
  ["a wildcard scope", "operation-scopes", '"vault.*"', [vaultService, /"vault\.items:delete"/, '"vault.*"']],
  [
    "no retry safety",
    "operation-retry-safety",
    "leaves open how it may be retried",
    [gateway, / +retry_safety: [^\n]*\n/, ""],
  ],
  [
    "idempotency without its retry safety",
    "operation-idempotency",
    "contradicts itself",
    [vaultService, /SAFETY_IDEMPOTENT/, "SAFETY_NONE"],
  ],
  [
    "retry safety without its idempotency",
    "operation-idempotency",
    "contradicts itself",
    [gateway, /SAFETY_WITH_KEY/, "SAFETY_IDEMPOTENT"],
  ],
  [
    "NO_SIDE_EFFECTS",
    "operation-post-only",
    "switches GET on",
    [vaultService, /level = IDEMPOTENT/, "level = NO_SIDE_EFFECTS"],
  ],
  [
    "a deprecation without its days",
    "operation-deprecation",
    "say when",
    [vaultService, / {4}option idempotency_level/, "    option deprecated = true;\n    option idempotency_level"],
  ],
  [
    "a deprecation of 179 days",
    "operation-deprecation",
    "180 days apart",
    ...deprecated('deprecated_on: "2027-01-01" sunset_on: "2027-06-29"'),
  ],
  [
    "a deprecation on no day",
    "operation-deprecation",
    "YYYY-MM-DD",
    ...deprecated('deprecated_on: "soon" sunset_on: "later"'),
  ],
  [
    "a comment that names no errors",
    "operation-errors",
    'add "Errors: …"',
    [device, /\(RFC 8628 section 3\.1\)\.\n[\s\S]*?(?= {2}rpc Start)/, "(RFC 8628 section 3.1).\n"],
  ],
  [
    "a public operation that leaves out the errors of every call",
    "operation-errors",
    'say "Errors besides those of every call: …"',
    [vaultService, /Errors besides those of every call: INVALID_FIELD/, "Errors: INVALID_FIELD"],
  ],
  [
    "a comment that names an unknown error",
    "operation-errors",
    "names the error VAULT_GONE",
    [vaultService, /SEQUENCE_EXHAUSTED, RATE_LIMITED\./, "SEQUENCE_EXHAUSTED, VAULT_GONE."],
  ],
  [
    "a private operation in the public package",
    "package-visibility",
    "is VISIBILITY_PRIVATE",
    [vaultService, /_PUBLIC/, "_PRIVATE"],
  ],
  [
    "a public operation in the private package",
    "package-visibility",
    "is VISIBILITY_PUBLIC",
    [device, /(rpc Start[\s\S]*?)VISIBILITY_PRIVATE/, "$1VISIBILITY_PUBLIC"],
  ],
  [
    "a package of neither kind",
    "package-visibility",
    "public or private",
    [accessAdmin, /package platform\.internal\.v1/, "package platform.secret.v1"],
  ],
  [
    "a private import",
    "public-imports",
    "imports the private",
    [
      error,
      /import "platform\/v1\/item.proto";/,
      'import "platform/v1/item.proto";\nimport "platform/internal/v1/error.proto";',
    ],
  ],
  ...["int64", "uint64", "sint64", "fixed64", "sfixed64"].map((type): [string, string, string, Edit] => [
    type,
    "json-types",
    `is ${type}, which prints as a JSON string`,
    [item, /uint32 sequence/, `${type} sequence`],
  ]),
  ["a float", "json-types", "is float, which rounds", [item, /uint32 sequence/, "float sequence"]],
  ["a double", "json-types", "is double, which rounds", [item, /uint32 sequence/, "double sequence"]],
  ["bytes", "json-types", "is bytes, which is base64", [item, /string title_hash/, "bytes title_hash"]],
  [
    "a list of 64-bit numbers",
    "json-types",
    "is int64",
    [brokerToken, /repeated string scopes/, "repeated int64 scopes"],
  ],
  [
    "a map of 64-bit numbers",
    "json-types",
    "is int64",
    [brokerToken, /repeated string scopes/, "map<string, int64> scopes"],
  ],
  [
    "a Timestamp of another name",
    "timestamp-names",
    "name it …_at",
    [brokerToken, /Timestamp issued_at/, "Timestamp issue_time"],
  ],
  [
    "a time that is a string",
    "timestamp-names",
    "make it a google.protobuf.Timestamp",
    [brokerToken, /google\.protobuf\.Timestamp issued_at/, "string issued_at"],
  ],
  [
    "a string without a bound",
    "request-bounds",
    "deviceCode is a string of any length",
    [gateway, /\s+max_len: 256/, ""],
  ],
  [
    "a string inside of a request without a bound",
    "request-bounds",
    "recipientId is a string of any length",
    [item, /(string recipient_id = 1 \[\(buf\.validate\.field\)\.string = \{)\s+max_len: 128/, "$1"],
  ],
  [
    "a list without a bound",
    "request-bounds",
    "wrappedKeys is a list of any length",
    [vaultAdmin, / \[\(buf\.validate\.field\)\.repeated\.max_items = 256\]/, ""],
  ],
  [
    "a list of strings without bounds",
    "request-bounds",
    "holds strings of any length",
    [accessAdmin, /string: \{max_len: 256\}/, "string: {min_len: 1}"],
  ],
  [
    "a map without a bound",
    "request-bounds",
    "is a map of any size",
    [accessAdmin, /bool enabled = 5;/, "bool enabled = 5; map<string, bool> tags = 6;"],
  ],
  [
    "a reason without its option",
    "reason-options",
    "MALFORMED_HTTP has no code",
    [error, /(REASON_MALFORMED_HTTP = 6) \[[\s\S]*?\]/, "$1"],
  ],
  [
    "a reason without a status",
    "reason-options",
    "ABORTED has no HTTP status",
    [
      error,
      /ERROR_REASON_VERSION_CONFLICT = 15 \[[\s\S]*?\]/,
      "ERROR_REASON_ABORTED = 15 [(platform.options.v1.reason).code = CODE_ABORTED]",
    ],
  ],
  ["a reason that is no failure", "reason-options", "no failure", [error, /http_status: 409/, "http_status: 200"]],
  [
    "a reason that nobody refuses with",
    "unused-reasons",
    "TEAPOT is in the contract",
    [internalError, /(INTERNAL_ERROR_REASON)_CURSOR_AHEAD = 3/, "$1_TEAPOT = 3"],
  ],
  [
    "a reason that is used and not there",
    "server-reasons",
    "refuses with CURSOR_AHEAD",
    [internalError, /(INTERNAL_ERROR_REASON)_CURSOR_AHEAD = 3/, "$1_TEAPOT = 3"],
  ],
  [
    "a reason without a sentence",
    "reason-sentences",
    "no sentence for TEAPOT",
    [internalError, /(INTERNAL_ERROR_REASON)_CURSOR_AHEAD = 3/, "$1_TEAPOT = 3"],
  ],
  [
    "a sentence without a reason",
    "reason-sentences",
    "a sentence for CURSOR_AHEAD",
    [internalError, /(INTERNAL_ERROR_REASON)_CURSOR_AHEAD = 3/, "$1_TEAPOT = 3"],
  ],
];

describe.concurrent("DECISIONS section 1: the contract says of every operation what callers must know", () => {
  it("finds nothing in the contract of this workspace", async () => {
    expect(judge(await buildEdited([]), sources)).toEqual([]);
  });

  it.each(offences)("refuses %s (%s)", async (_what, rule, words, ...edits) => {
    const findings = judge(await buildEdited(edits), sources).filter((finding) => finding.rule === rule);
    expect(findings.map(({ message }) => message).join("\n")).toContain(words);
    for (const { message, place, verdict } of findings) {
      expect(verdict).toBe("fails");
      expect(message).toContain("\nFix: ");
      if (place.file.startsWith("proto/")) expect(place.line).toBeGreaterThan(1);
    }
  });
});

describe("the programs speak the contract, and nothing else", () => {
  it.each<[what: string, rule: string, words: string, ...edit: Edit]>([
    [
      "a refusal with an unknown reason",
      "server-reasons",
      "refuses with NO_ROUTE",
      "packages/server/src/http/gate.ts",
      /rpcError\("OPERATION_UNKNOWN"\)/,
      'rpcError("NO_ROUTE")',
    ],
    [
      "an outcome with an unknown reason",
      "server-reasons",
      "refuses with ITEM_LOST",
      "packages/server/src/domain/delete-item.ts",
      /\| "ITEM_NOT_FOUND" \}/,
      '| "ITEM_LOST" }',
    ],
    [
      "a sentence removed",
      "reason-sentences",
      "no sentence for MALFORMED_HTTP",
      "packages/server/src/rpc/messages.ts",
      / {2}MALFORMED_HTTP: [^\n]*\n/,
      "",
    ],
    [
      "a header that nobody documents",
      "server-headers",
      "judges the header x-tenant",
      "packages/server/src/http/request-headers.ts",
      /\["host", "host"\],/,
      '["host", "host"],\n  ["x-tenant", "tenant"],',
    ],
    [
      "headers that cannot be read",
      "server-headers",
      "lists no header",
      "packages/server/src/http/request-headers.ts",
      /^[\s\S]*$/,
      "",
    ],
  ])("refuses %s", async (_what, rule, words, ...edit) => {
    const [file] = edit;
    const changed = new Map([...sources, [file, edited(sources.get(file) ?? "", edit)]]);
    const found = judge(await buildEdited([]), changed).filter((finding) => finding.rule === rule);
    expect(found.map(({ message }) => message).join("\n")).toContain(words);
    expect(found[0]?.place.file).toBe(file);
  });

  it("fails when a file that it reads has moved", async () => {
    const moved = new Map([...sources].filter(([file]) => !file.endsWith("rpc/messages.ts")));
    const contract = await buildEdited([]);
    expect(() => judge(contract, moved)).toThrow("there is no packages/server/src/rpc/messages.ts");
  });
});

it("has a case for every rule", () => {
  const covered = new Set([...offences.map(([, rule]) => rule), "server-headers"]);
  expect(rules.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
});
