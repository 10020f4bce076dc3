import { execFile } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releasedFolder } from "./baseline/baseline.ts";
import { releaseContract } from "./commands.ts";
import { type ContractCopy, copyContract } from "./testing/contract-copy.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

let copy: ContractCopy;
beforeAll(async () => {
  copy = copyContract();
  expect(await releaseContract({ root: copy.root, today: "2027-01-01" }, true)).toEqual([]);
});
afterAll(() => copy[Symbol.dispose]());

function contract(args: readonly string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE } };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe("the command line", () => {
  it("exits with 0 after the help, which names every command", async () => {
    const { code, stdout } = await contract(["--help"]);
    expect(code).toBe(0);
    for (const command of ["check", "lint", "breaking", "openapi", "release", "generate"]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
    }
    expect(stdout).toContain("0 passed, 1 findings to fix, 2 wrong usage, 3 not checked");
  });

  it("exits with 0 when the check passes, which is the default command", async () => {
    const { code, stdout } = await contract(["--root", copy.root]);
    expect([code, stdout]).toEqual([0, "contract check: passed\n"]);
  });

  it.each([
    ["an unknown command", ["brakeing"], "Did you mean breaking?"],
    ["an unknown option", ["lint", "--fast"], "--fast"],
  ])("exits with 2 for %s", async (_what, args, words) => {
    const { code, stderr } = await contract(args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it("exits with 1 for findings, and prints them", async () => {
    copy.edit("proto/platform/v1/item.proto", /uint32 sequence/, "int32 sequence");
    const { code, stdout, stderr } = await contract(["breaking", "--root", copy.root]);
    const file = "proto\\/platform\\/v1\\/item\\.proto";
    expect(code).toBe(1);
    expect(stderr).toMatch(/ note \(merge-base\)$/m);
    expect(stderr).toMatch(new RegExp(`^${file}:\\d+:3 error \\(breaking, field-type-changed\\)\\n {2}platform`, "m"));
    expect(stdout).toBe("contract breaking: FAILED, 1 to fix\n");
    copy.edit("proto/platform/v1/item.proto", /int32 sequence/, "uint32 sequence");
  });

  it("reports where the contract cannot be built", async () => {
    copy.edit("proto/platform/v1/item.proto", /message Cursor \{/, "massage Cursor {");
    const { code, stderr } = await contract(["breaking", "--root", copy.root]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^proto\/platform\/v1\/item\.proto:\d+:1 error \(buf:COMPILE\)/m);
    copy.edit("proto/platform/v1/item.proto", /massage Cursor \{/, "message Cursor {");
  });

  it("says once that files have Windows line endings, instead of each difference", async () => {
    const files = globSync("proto/platform/v1/*.proto", { cwd: copy.root }).map((file) => join(copy.root, file));
    const replace = (from: string, to: string) => {
      for (const file of files) writeFileSync(file, readFileSync(file, "utf8").replaceAll(from, to));
    };
    replace("\n", "\r\n");
    const { code, stdout, stderr } = await contract(["breaking", "--root", copy.root]);
    expect([code, stdout]).toEqual([1, "contract breaking: FAILED, 1 to fix\n"]);
    expect(stderr).toContain("core.autocrlf");
    replace("\r\n", "\n");
  });

  it("exits with 3 without a released contract", async () => {
    rmSync(join(copy.root, releasedFolder), { recursive: true });
    const unjudged = await contract(["breaking", "--root", copy.root]);
    expect([unjudged.code, unjudged.stdout]).toEqual([3, "contract breaking: NOT CHECKED\n"]);
  });
});
