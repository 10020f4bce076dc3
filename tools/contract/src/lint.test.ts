import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ContractCopy, copyContract, type Edit, workspaceRoot } from "./contract-copy.ts";
import { lint } from "./lint.ts";

let copy: ContractCopy;
beforeAll(() => {
  copy = copyContract();
});
afterAll(() => copy[Symbol.dispose]());

const item = "v1/item.proto";
const vaultService = "v1/vault_service.proto";

describe.concurrent("the contract is linted without exceptions: STANDARD, COMMENTS, UNARY_RPC", () => {
  it("finds nothing in the contract of this workspace", async () => {
    expect(await lint(workspaceRoot)).toEqual([]);
  });

  it.each<[what: string, rule: string, words: string, ...edit: Edit]>([
    [
      "a field without a comment",
      "buf:COMMENT_FIELD",
      '"vault_id" should have',
      item,
      / {2}\/\/ The vault whose history this is\.\n/,
      "",
    ],
    [
      "a message without a comment",
      "buf:COMMENT_MESSAGE",
      '"Cursor" should have',
      item,
      /\/\/ Cursor is the position[^\n]*\n/,
      "",
    ],
    [
      "an enum value without its enum's name",
      "buf:ENUM_VALUE_PREFIX",
      "CODE_",
      "options/v1/reason.proto",
      /CODE_DATA_LOSS =/,
      "DATA_LOSS =",
    ],
    [
      "a streamed request",
      "buf:RPC_NO_CLIENT_STREAMING",
      "client streaming",
      vaultService,
      /\(DeleteItemRequest/,
      "(stream DeleteItemRequest",
    ],
    [
      "a streamed response",
      "buf:RPC_NO_SERVER_STREAMING",
      "server streaming",
      vaultService,
      /returns \(/,
      "returns (stream ",
    ],
    [
      "a field in camelCase",
      "buf:FIELD_LOWER_SNAKE_CASE",
      "lower_snake_case",
      item,
      /string vault_id = 1;\n/,
      "string vaultId = 1;\n",
    ],
    [
      "a file that is not formatted",
      "format",
      "pnpm format",
      item,
      /string vault_id = 1;\n/,
      "string   vault_id = 1;\n",
    ],
    [
      "an operation without its retry safety",
      "operation-retry-safety",
      "retry_safety",
      vaultService,
      / +retry_safety: [^\n]*\n/,
      "",
    ],
  ])("refuses %s", async (_what, rule, words, ...edit) => {
    using broken = copy.fork();
    const [file] = edit;
    broken.edit(...edit);
    const found = (await lint(broken.root)).filter((finding) => finding.rule === rule);
    expect(found.map(({ message }) => message).join("\n")).toContain(words);
    for (const { place } of found) {
      expect(place.line).toBeGreaterThan(1);
      expect(place.file).toMatch(/^proto\/platform\//);
    }
    expect(found.some(({ place }) => place.file === `proto/platform/${file}`)).toBe(true);
  });
});
