import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ContractCopy, copyContract } from "./contract-copy.ts";
import { release } from "./release.ts";
import { releasedLock } from "./released-contract.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

let copy: ContractCopy;
beforeAll(async () => {
  copy = copyContract();
  expect(await release(copy.root, { first: true })).toEqual([]);
});
afterAll(() => copy[Symbol.dispose]());

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function contract(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ending> {
  const { PATH = "" } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env: { PATH, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

function broken(): ContractCopy {
  const fork = copy.fork();
  fork.edit("v1/item.proto", /uint32 sequence/, "int32 sequence");
  return fork;
}

describe.concurrent("exit codes", () => {
  it("0: passed; without a command it checks", async () => {
    const { code, stdout, stderr } = await contract(["--root", copy.root]);
    expect([code, stdout, stderr]).toEqual([0, "contract check: passed\n", ""]);
  });

  it("0: help, which names every command and every exit code", async () => {
    const { code, stdout } = await contract(["--help"]);
    expect(code).toBe(0);
    for (const command of ["check", "lint", "breaking", "lock", "openapi", "release", "generate"]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
    }
    expect(stdout).toContain("0 passed, 1 something has to be mended, 2 wrong usage, 3 cannot judge");
  });

  it("1: something has to be mended; each finding tells file, line and column", async () => {
    using fork = broken();
    const { code, stdout, stderr } = await contract(["breaking", "--root", fork.root]);
    expect(code).toBe(1);
    expect(stdout).toBe("contract breaking: FAILED, 1 to mend\n");
    expect(stderr).toMatch(
      /^proto\/platform\/v1\/item\.proto:\d+:3 error \(breaking, field-type-changed\)\n {2}platform/,
    );
  });

  it.each([
    ["a command that does not exist", ["brakeing"], "Did you mean breaking?"],
    ["an option that does not exist", ["lint", "--fast"], "--fast"],
    ["an argument too many", ["lint", "proto"], "too many arguments"],
  ])("2: %s", async (_what, args, words) => {
    const { code, stderr } = await contract(args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it("3: cannot judge without a released contract", async () => {
    using fork = copy.fork();
    rmSync(join(fork.root, releasedLock));
    const { code, stdout, stderr } = await contract(["--root", fork.root]);
    expect(code).toBe(3);
    expect(stdout).toBe("contract check: CANNOT JUDGE\n");
    expect(stderr).toContain("nothing has passed");
  });

  it("3: cannot judge without what it reads of the server", async () => {
    using fork = copy.fork();
    rmSync(join(fork.root, "packages/server/src/http/limits.ts"));
    const { code, stderr } = await contract(["breaking", "--root", fork.root]);
    expect(code).toBe(3);
    expect(stderr).toContain("limits.ts");
  });
});

describe.concurrent("what programs read", () => {
  it("is one JSON object with --json, wherever that stands", async () => {
    using fork = broken();
    const { code, stdout, stderr } = await contract(["breaking", "--root", fork.root, "--json"], { CI: "true" });
    expect([code, stderr]).toEqual([1, ""]);
    const { findings, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ command: "breaking", exitCode: 1 });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ rule: "field-type-changed", verdict: "fails", change: "breaking" });
    expect(Object.keys(findings[0].place)).toEqual(["file", "line", "column"]);
  });

  it.each([
    ["GITHUB_ACTIONS", "true"],
    ["CI", "true"],
  ])("are annotations when %s says so", async (name, value) => {
    using fork = broken();
    const { stdout } = await contract(["breaking", "--root", fork.root], { [name]: value });
    expect(stdout).toMatch(/^::error file=proto\/platform\/v1\/item\.proto,line=\d+,col=3,title=field-type-changed::/m);
    expect(stdout.split("\n")).toHaveLength(3);
  });
});
