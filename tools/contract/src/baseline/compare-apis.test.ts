import { describe, expect, it } from "vitest";
import { announces, type Level, parseChangeset } from "./changesets.ts";
import { compareApis } from "./compare-apis.ts";
import { manifestSchema, type Promises, promisesOf } from "./manifests.ts";
import { type PackageApis, parseReport } from "./package-apis.ts";
import { fits } from "./release.ts";

const name = "@platform-rpc/client";
const report = (code: string) => `# The API\n\n## ${name}\n\n\`\`\`ts\nimport { A } from "a";\n\n${code}\n\`\`\`\n`;
const api = (code: string, manifest: Promises = {}): PackageApis => ({
  [name]: { declarations: parseReport(report(code)), manifest },
});

const options = "export interface Options {\n    timeoutMs?: number;\n}";
const call = "export declare function call(options: Options): Promise<void>;";
const both = `${options}\n\n${call}`;

it("the unstable entry of the server promises nothing", () => {
  const section = (entry: string) => `## @platform-rpc/server${entry}\n\n\`\`\`ts\n${call}\n\`\`\`\n`;
  expect(parseReport(`# The API\n\n${section("")}\n${section("/host")}`)).toEqual([`@platform-rpc/server\n${call}`]);
});

describe("the TypeScript API of a package", () => {
  it.each<[what: string, code: string, changes: string[]]>([
    ["is unchanged", both, []],
    ["is unchanged in another order", `${call}\n\n${options}`, []],
    ["has a new declaration", `${both}\n\nexport declare const version: string;`, ["minor version"]],
    ["has a new overload", `${both}\n\nexport declare function call(): void;`, ["minor call"]],
    ["has a new member", both.replace("number;\n", "number;\n    retry?: boolean;\n"), ["minor Options.retry"]],
    ["lost a declaration", options, ["major call"]],
    ["lost a member", both.replace("    timeoutMs?: number;\n", ""), ["major Options.timeoutMs"]],
    [
      "requires a new member of its callers",
      both.replace("number;\n", "number;\n    key: string;\n"),
      ["major Options.key"],
    ],
    ["has a member of another type", both.replace("number", "bigint"), ["major Options.timeoutMs"]],
    [
      "has other members",
      both.replace("timeoutMs?: number", "deadline?: Date"),
      ["major Options.timeoutMs", "minor Options.deadline"],
    ],
    ["has another supertype", both.replace("Options {", "Options extends Other {"), ["major Options"]],
    ["has another signature", both.replace("options: Options", "options: string"), ["major call"]],
  ])("%s", (_what, code, changes) => {
    expect(compareApis(api(both), api(code)).map(({ level, name: changed }) => `${level} ${changed}`)).toEqual(changes);
  });

  const peer = (range: string) => ({ peerDependencies: { x: range } });
  const optional = { peerDependenciesMeta: { x: { optional: true } } };

  it.each<[what: string, was: object, is: object, changes: string[]]>([
    ["a peer added", {}, peer("^1"), ['major peerDependencies["x"]']],
    ["an optional peer added", {}, { ...peer("^1"), ...optional }, ['minor peerDependencies["x"]']],
    ["a peer with another range", peer("^1"), peer("^2"), ['major peerDependencies["x"]']],
    ["a peer with one more range", peer("^1"), peer("^1 || ^2"), ['minor peerDependencies["x"]']],
    ["a peer with one range less", peer("^1 || ^2"), peer("^2"), ['major peerDependencies["x"]']],
    ["a peer with a lower minimum", peer("^2.10.0"), peer("^2.7.0"), ['minor peerDependencies["x"]']],
    ["a peer with a higher minimum", peer("^2.7.0"), peer("^2.10.0"), ['major peerDependencies["x"]']],
    ["a peer with a range that cannot be compared", peer("^1"), peer("1 - 3"), ['major peerDependencies["x"]']],
    ["a peer removed", peer("^1"), {}, ['minor peerDependencies["x"]']],
    ["a peer made optional", peer("^1"), { ...peer("^1"), ...optional }, ['minor peerDependenciesMeta["x"]']],
    ["a peer made mandatory", { ...peer("^1"), ...optional }, peer("^1"), ['major peerDependenciesMeta["x"]']],
    ["a higher engine", { engines: { node: ">=18" } }, { engines: { node: ">=20" } }, ["major engines.node"]],
    ["a lower engine", { engines: { node: ">=20" } }, { engines: { node: ">=18" } }, ["minor engines.node"]],
    ["another main", { main: "./a.cjs" }, { main: "./b.cjs" }, ["major main"]],
    ["its types removed", { types: "./a.d.ts" }, {}, ["major types"]],
    ["another module type", {}, { type: "module" }, ["major type"]],
    ["a command added", { bin: { a: "./a.js" } }, { bin: { a: "./b.js", b: "./b.js" } }, ["minor bin.b"]],
    ["a command removed", { bin: { a: "./a.js" } }, {}, ["major bin.a"]],
    ["a system required", {}, { os: ["linux"] }, ["major os"]],
    ["one more system", { os: ["linux"] }, { os: ["linux", "darwin"] }, ["minor os"]],
    ["one system less", { os: ["linux", "darwin"] }, { os: ["linux"] }, ["major os"]],
    ["an excluded system", { os: ["linux"] }, { os: ["!win32"] }, ["major os"]],
    ["every system", { os: ["linux"] }, {}, ["minor os"]],
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
  ])("package.json: %s", (_what, was, is, changes) => {
    const [before, after] = [was, is].map((parts) =>
      api(both, promisesOf(manifestSchema.parse({ name, ...parts }), new Set(["p"]))),
    );
    const found = compareApis(before ?? {}, after ?? {});
    expect(found.map(({ level, name: changed }) => `${level} ${changed}`)).toEqual(changes);
  });

  const result = "export interface Result {\n    id: string;\n}";
  const port = "export interface Port {\n    read(): Promise<Result>;\n}";
  const withKey = (code: string, of: string) => code.replace(`${of} {\n`, `${of} {\n    key: string;\n`);

  it.each<[what: string, code: string, of: string, level: string]>([
    ["what callers get", `${result}\n\nexport declare function call(): Promise<Result>;`, "Result", "minor"],
    ["what callers pass", `${result}\n\nexport declare function call(result: Result): void;`, "Result", "major"],
    [
      "a type in a parameter's type",
      `${result}\n\n${port}\n\nexport const call: (port: Port) => void;`,
      "Result",
      "major",
    ],
    [
      "what callers implement",
      `${result}\n\n${port}\n\nexport declare function call(port?: Port): void;`,
      "Port",
      "major",
    ],
    [
      "what callers' functions get",
      `${result}\n\nexport interface Options {\n    onCall?: (result: Result) => void;\n}\n\n${call}`,
      "Result",
      "minor",
    ],
    [
      "the options of a constructor",
      `${result}\n\nexport declare class Client {\n    constructor(options: Result);\n}`,
      "Result",
      "major",
    ],
    [
      "a list of what callers get",
      `${result}\n\nexport declare function call(): (Result | string)[];`,
      "Result",
      "minor",
    ],
    ["what nothing mentions", result, "Result", "major"],
    [
      "options in a type argument",
      "export interface LoginOptions {\n}\n\nexport declare function open(): Session<LoginOptions>;",
      "LoginOptions",
      "major",
    ],
  ])("a required member of %s", (_what, code, of, level) => {
    expect(compareApis(api(code), api(withKey(code, of)))).toMatchObject([{ level, name: `${of}.key` }]);
  });

  const member = "    key: string;\n";
  it.each<[what: string, before: string, level: string, changed: string]>([
    ["of a function", "export function call(input: {\n    id: string;\n}): void;", "major", "call.key"],
    [
      "of a function, inside of another object",
      "export function call(input: {\n    id: string;\n    of: {\n        id: string;\n    };\n}): void;",
      "major",
      "call.key",
    ],
    ["of a constructor", "export class Api {\n    constructor(input: {\n    id: string;\n});\n}", "major", "Api.key"],
    [
      "of a method of what callers get",
      "export interface Api {\n    call(input: {\n    id: string;\n}): void;\n}\n\nexport function open(): Api;",
      "major",
      "Api.key",
    ],
    [
      "of a method of what callers implement",
      "export interface Port {\n    on(event: {\n    id: string;\n}): void;\n}\n\nexport function use(port: Port): void;",
      "minor",
      "Port.key",
    ],
    ["of what a function returns", "export function call(): {\n    id: string;\n};", "minor", "call.key"],
  ])("a required member of an object type in a parameter or result: %s", (_what, before, level, changed) => {
    expect(
      compareApis(api(before), api(before.replace(/ +id: string;\n(?![\s\S]*id: string;)/, `$&${member}`))),
    ).toMatchObject([{ level, name: changed }]);
  });

  it("a required parameter in a new line is a major change", () => {
    const before = "export function call(\n    id: string,\n): void;";
    expect(compareApis(api(before), api(before.replace(",\n", ",\n    key: string,\n")))).toMatchObject([
      { level: "major", name: "call.key" },
    ]);
  });

  const list = "command platform items list {\n    item: string;\n    --vault?: <id> = your only one;\n}";
  const tool = "tool list_items {\n    cursor?: integer = 0;\n    limit?: integer = 100;\n}";
  const answer = "result of list_items {\n    vaultId: string;\n}";
  const codes = "exit codes of platform {\n    0: done;\n}";
  const environment = "environment of platform-mcp {\n    PLATFORM_URL: string;\n}";

  it.each<[what: string, before: string, after: string, changes: string[]]>([
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
  ])("a program: %s", (_what, before, after, changes) => {
    const found = compareApis(api(before), api(after));
    expect(found.map(({ level, name: changed }) => `${level} ${changed}`)).toEqual(changes);
  });

  it.each<[what: string, name: string, was: string, is: string, level: string]>([
    ["a lower timeout", "timeoutMs", "15000", "10000", "major"],
    ["a higher timeout", "timeoutMs", "15000", "20000", "minor"],
    ["fewer attempts", "retry.maxAttempts", "4", "3", "major"],
    ["a shorter keep-alive", "defaultLimits.keepAliveMs", "65000", "5000", "major"],
    ["a limit instead of none", "defaultLimits.connectionsPerAddress", "Infinity", "10", "major"],
    ["no limit", "defaultLimits.connectionsPerAddress", "10", "Infinity", "minor"],
    ["a smaller page at most", "list_items.limit.maximum", "500", "100", "major"],
    ["a larger page at most", "list_items.limit.maximum", "500", "1000", "minor"],
    ["a higher minimum", "list_items.limit.minimum", "1", "10", "major"],
    ["a lower minimum", "list_items.limit.minimum", "10", "1", "minor"],
    ["an annotation that is no longer true", "list_items.readOnlyHint", "true", "false", "major"],
  ])("a default or a bound: %s", (_what, constant, was, is, level) => {
    const [before, after] = [was, is].map((value) => api(`const ${constant} = ${value};`));
    expect(compareApis(before ?? {}, after ?? {})).toMatchObject([{ level, name: constant }]);
  });

  it("a removed package is a major change, and a new package is no change", () => {
    expect(compareApis(api(both), {}).map(({ level }) => level)).toEqual(["major"]);
    expect(compareApis({}, api(both))).toEqual([]);
  });
});

describe("a changeset announces a change", () => {
  const changeset = (level: string, text: string) => parseChangeset(`---\n"${name}": ${level}\n---\n\n${text}\n`);

  it.each<[level: string, text: string, announced: boolean]>([
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
  ])("%s: %s", (level, text, announced) => {
    expect(announces(changeset(level, text), name, "minor", [["Options.retry"]])).toBe(announced);
    expect(announces(changeset(level, text), "@platform-rpc/types", "minor", [["Options.retry"]])).toBe(false);
  });
});

it("a changeset that names something else of the same part does not announce an entry of a list", () => {
  const stale = parseChangeset(`---\n"${name}": minor\n---\n\nAdds Item.kind.\n`);
  expect(announces(stale, name, "minor", [["Item.kind"]])).toBe(true);
  expect(announces(stale, name, "minor", [["Item.kind"], ["passport"]])).toBe(false);
});

describe("a version matches a change", () => {
  it.each<[released: string | undefined, version: string, step: Level, fitting: boolean]>([
    ["1.2.3", "1.2.3", "patch", false],
    ["1.2.3", "1.2.4", "patch", true],
    ["1.2.3", "1.2.4", "minor", false],
    ["1.2.3", "1.3.0", "minor", true],
    ["1.2.3", "1.3.0", "major", false],
    ["1.2.3", "2.0.0", "major", true],
    ["1.2.3", "1.1.0", "patch", false],
    ["1.2.3", "1.3.0-next.1", "minor", true],
    ["1.2.3", "next", "patch", false],
    [undefined, "0.0.0", "patch", false],
    [undefined, "1.0.0", "minor", true],
  ])("%s to %s as %s: %s", (released, version, step, fitting) => {
    expect(fits(released, version, step)).toBe(fitting);
  });
});
