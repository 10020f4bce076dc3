import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workspaceRoot } from "../contract-copy.ts";
import { readPlainData } from "../plain-data.ts";
import { readSources } from "../sources.ts";
import { contractHeaders } from "./headers.ts";
import { lockLimits } from "./limits.ts";
import { printJson } from "./print.ts";

describe("the limits that are read from the text of the server", () => {
  it("are those that it has when it runs", () => {
    const script =
      "import { defaultLimits, defaultRates } from '@platform-rpc/server';" +
      "console.log(JSON.stringify({ defaultLimits, defaultRates }));";
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: join(workspaceRoot, "packages/server"),
      encoding: "utf8",
    });
    const { defaultLimits, defaultRates } = JSON.parse(output);
    const { keepAliveMs, drainBytes, drainMs, pieceBytes, connections, backlog, callsInFlight, ...others } =
      defaultLimits;
    const housekeeping = [keepAliveMs, drainBytes, drainMs, pieceBytes, connections, backlog, callsInFlight];
    expect(housekeeping.every(Number.isInteger)).toBe(true);
    // Off by default: Infinity, which JSON has as null.
    const { connectionsPerAddress, ...limits } = others;
    expect(connectionsPerAddress).toBeNull();
    const rates: Record<string, Record<string, number>> = defaultRates;
    const operations = Object.keys(rates);
    expect(operations).toHaveLength(2);
    const named = operations.flatMap((operation) =>
      ["burst", "perMinute"].map((part) => [`${operation} ${part}`, rates[operation]?.[part]]),
    );
    expect(lockLimits(readSources(workspaceRoot))).toEqual({ ...limits, ...Object.fromEntries(named) });
  });

  it.each([
    ["is not there", "export const others = {\n};", "no constant"],
    ["is not written out", "export const limits = make();", "no constant"],
    ["calls something", "export const limits = {\n  a: process.exit(1),\n};", "more than plain data"],
    ["names something", "export const limits = {\n  a: b,\n};", "more than plain data"],
    ["never ends", "export const limits = {\n  a: (() => { for (;;); })(),\n};", "more than plain data"],
  ])("are refused when the constant %s", (_what, source, words) => {
    expect(() => readPlainData(source, "limits")).toThrow(words);
  });

  it("may be products, with separators and comments", () => {
    const source = 'const limits: Limits = {\n  // Why.\n  a: 64 * 1_024,\n  "b/c": { d: 1 },\n};\n';
    expect(readPlainData(source, "limits")).toEqual({ a: 65_536, "b/c": { d: 1 } });
  });
});

it("SPEC section 4: Content-Type, Authorization and Connect-Protocol-Version are required, and no other header", () => {
  const required = Object.entries(contractHeaders()).filter(([, header]) => header.required);
  expect(required.map(([name]) => name)).toEqual(["Authorization", "Connect-Protocol-Version", "Content-Type"]);
});

it("prints lists on one line where they fit, and leaves out what is empty", () => {
  const long = "x".repeat(60);
  expect(printJson({ a: ["b", "c"], d: {}, e: [long, long], f: undefined, g: [] })).toBe(
    `{\n  "a": ["b", "c"],\n  "e": [\n    "${long}",\n    "${long}"\n  ],\n  "g": []\n}\n`,
  );
});
