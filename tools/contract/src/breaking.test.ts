import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { breaking } from "./breaking.ts";
import { check, lock } from "./check.ts";
import { type ContractCopy, copyContract, type Edit } from "./contract-copy.ts";
import { release } from "./release.ts";
import { releasedImage, releasedLock } from "./released-contract.ts";
import { exitCodeOf } from "./report.ts";

let copy: ContractCopy;
beforeAll(async () => {
  copy = copyContract();
  expect(await release(copy.root, { first: true })).toEqual([]);
});
afterAll(() => copy[Symbol.dispose]());

const item = "v1/item.proto";
const error = "v1/error.proto";
const vaultService = "v1/vault_service.proto";
const gateway = "v1/identity_gateway_service.proto";

describe.concurrent("five edits that look harmless are stopped, in words that a newcomer understands", () => {
  it.each<[what: string, words: readonly string[], ...edits: Edit[]]>([
    [
      "a field renamed",
      ["platform.v1.Item.deleted was renamed to removed", "JSON names fields by name", "Keep the old name"],
      [item, /bool deleted =/, "bool removed ="],
    ],
    [
      "uint32 made int32",
      ["platform.v1.Cursor.sequence was uint32 and is int32 now", "no longer compiles", "Keep the type"],
      [item, /uint32 sequence/, "int32 sequence"],
    ],
    [
      "a scope added",
      [
        "now requires the scope vault.items:write",
        "Every token that is in use today lacks the new scope",
        "INSUFFICIENT_SCOPE",
      ],
      [
        vaultService,
        /\["vault.items:delete"\]/,
        '[\n        "vault.items:delete",\n        "vault.items:write"\n      ]',
      ],
    ],
    [
      "max_len lowered",
      [
        "deviceCode was 256 and is 128 now",
        "Values that were valid are refused with INVALID_FIELD",
        "Keep the old bound",
      ],
      [gateway, /max_len: 256/, "max_len: 128"],
    ],
    [
      "a reason dropped",
      ["The error reason MALFORMED_HTTP is gone", "Callers branch on error reasons", "Keep the reason in the enum"],
      [error, / {2}\/\/ The request is not well-formed HTTP\.\n[\s\S]*?\}\];\n/, ""],
    ],
  ])("%s", async (_what, words, ...edits) => {
    using broken = copy.fork();
    for (const edit of edits) broken.edit(...edit);
    // Neither a changeset nor a lock brought up to date helps.
    addChangeset(broken.root);
    await lock(broken.root);
    const findings = await check(broken.root);
    expect(exitCodeOf(findings)).toBe(1);
    const told = findings.filter(({ change }) => change === "breaking");
    expect(told).toHaveLength(1);
    for (const part of [...words, "This breaks callers: ", "platform.v2"]) expect(told[0]?.message).toContain(part);
    expect(told[0]?.place.file).toMatch(/^proto\/platform\/v1\//);
    expect(told[0]?.place.line).toBeGreaterThan(1);
  });
});

describe.concurrent("buf compares what the lock does not hold", () => {
  it("finds nothing in the contract that was just released", async () => {
    expect(await breaking(copy.root)).toEqual([]);
  });

  it.each<[what: string, named: string, ...edit: Edit]>([
    ["an RPC renamed", "DeleteItem", vaultService, /rpc DeleteItem\(/, "rpc RemoveItem("],
    ["a service renamed", "VaultService", vaultService, /service VaultService/, "service SafeService"],
    [
      "an enum value of the options renamed",
      "CODE_DATA_LOSS",
      "options/v1/reason.proto",
      /CODE_DATA_LOSS/,
      "CODE_DATA_LOST",
    ],
    [
      "a reason that changes its number",
      "ErrorReason",
      error,
      /REASON_MALFORMED_HTTP = 6/,
      "REASON_MALFORMED_HTTP = 66",
    ],
    [
      "fields that become alternatives",
      "vaultId",
      item,
      /message Cursor \{([\s\S]*?)\n\}/,
      "message Cursor { oneof position {$1 } }",
    ],
    ["an RPC that streams", "DeleteItem", vaultService, /returns \(DeleteItem/, "returns (stream DeleteItem"],
  ])("refuses %s", async (_what, named, ...edit) => {
    using broken = copy.fork();
    broken.edit(...edit);
    const findings = (await breaking(broken.root)).filter(({ change }) => change === "breaking");
    expect(exitCodeOf(findings)).toBe(1);
    expect(findings.map(({ message }) => message).join("\n")).toContain(named);
    for (const { place } of findings) expect(place.line).toBeGreaterThan(0);
  });

  it("refuses a contract that does not build, and does not call that a breaking change", async () => {
    using wrong = copy.fork();
    wrong.edit(item, /message Cursor {/, "massage Cursor {");
    const findings = await check(wrong.root);
    expect(exitCodeOf(findings)).toBe(1);
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(["buf:COMPILE"]));
    expect(findings.some(({ place }) => place.file === "proto/platform/v1/item.proto" && place.line > 1)).toBe(true);
  });
});

describe.concurrent("an addition needs a changeset that names @platform-rpc/types", () => {
  it.each<[string, string | undefined, 0 | 1]>([
    ["none", undefined, 1],
    ["one of another package", '---\n"@platform-rpc/client": minor\n---\n\n@platform-rpc/types: minor\n', 1],
    ["one of no release", '---\n"@platform-rpc/types": none\n---\n\nNothing.\n', 1],
    ["one that names it", '---\n"@platform-rpc/types": minor\n---\n\nA cursor has an etag.\n', 0],
  ])("%s", async (_what, changeset, exitCode) => {
    using grown = copy.fork();
    grown.edit(item, /message Cursor {\n/, "message Cursor {\n  // New.\n  string etag = 99;\n");
    if (changeset !== undefined) addChangeset(grown.root, changeset);
    const findings = await breaking(grown.root);
    expect(findings.map(({ rule }) => rule).sort()).toEqual(["comment-changed", "field-added"]);
    expect(exitCodeOf(findings)).toBe(exitCode);
  });
});

describe.concurrent("a check whose baseline is missing never passes", () => {
  it.each<[string, string, (file: string) => void]>([
    ["image is missing", releasedImage, (file) => rmSync(file)],
    ["image is empty", releasedImage, (file) => truncateSync(file)],
    ["image is cut short", releasedImage, (file) => truncateSync(file, 4000)],
    [
      "image is a pointer to one",
      releasedImage,
      (file) => writeFileSync(file, "version https://git-lfs.example/spec/v1\n"),
    ],
    [
      "image is of something else",
      releasedImage,
      (file) => writeFileSync(file, Uint8Array.of(0x0a, 0x03, 0x0a, 0x01, 0x61)),
    ],
    ["lock is missing", releasedLock, (file) => rmSync(file)],
    ["lock is empty", releasedLock, (file) => truncateSync(file)],
    ["lock has a merge conflict", releasedLock, (file) => appendFileSync(file, "<<<<<<< HEAD\n")],
    ["lock has another shape", releasedLock, (file) => writeFileSync(file, '{"format": 2}')],
    [
      "lock was bent to let a change pass",
      releasedLock,
      (file) => bend(file, '"string.maxLen": 256', '"string.maxLen": 128'),
    ],
    ["lock lost a reason", releasedLock, (file) => bend(file, '"MALFORMED_HTTP"', '"MALFORMED_FTP"')],
  ])("cannot judge when the released %s, and says what to do", async (_state, file, spoil) => {
    using spoiled = copy.fork();
    spoil(join(spoiled.root, file));
    const findings = await breaking(spoiled.root);
    expect(exitCodeOf(findings)).toBe(3);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.message).toContain(`git checkout -- ${file}`);
    expect(exitCodeOf(await release(spoiled.root, { first: false }))).toBe(3);
  });
});

it("finds the committed lock to be out of date, and where", async () => {
  using changed = copy.fork();
  changed.edit(gateway, /max_len: 256/, "max_len: 257");
  const drifted = (await check(changed.root)).filter(({ rule }) => rule === "lock-drift");
  expect(drifted).toHaveLength(1);
  expect(drifted[0]?.message).toContain("pnpm contract lock");
  const { line = 0 } = drifted[0]?.place ?? {};
  expect(readFileSync(join(changed.root, "proto/contract.lock.json"), "utf8").split("\n")[line - 1]).toContain("256");
  await lock(changed.root);
  expect((await check(changed.root)).filter(({ rule }) => rule === "lock-drift")).toEqual([]);
});

function addChangeset(root: string, text = '---\n"@platform-rpc/types": major\n---\n\nBetter.\n'): void {
  mkdirSync(join(root, ".changeset"));
  writeFileSync(join(root, ".changeset/better.md"), text);
}

function bend(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}
