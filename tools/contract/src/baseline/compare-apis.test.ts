import { describe, expect, it } from "vitest";
import { announces, parseChangeset } from "./changesets.ts";
import { compareApis } from "./compare-apis.ts";
import { type PackageApis, parseReport } from "./package-apis.ts";
import { fits, type Step } from "./release.ts";

const name = "@platform-rpc/client";
const report = (code: string) => `# The API\n\n## ${name}\n\n\`\`\`ts\nimport { A } from "a";\n\n${code}\n\`\`\`\n`;
const api = (code: string, manifest: Record<string, string> = {}): PackageApis => ({
  [name]: { declarations: parseReport(report(code)), manifest },
});

const options = "export interface Options {\n    timeoutMs?: number;\n}";
const call = "export declare function call(options: Options): Promise<void>;";
const both = `${options}\n\n${call}`;

describe("the TypeScript API of a package", () => {
  it.each<[what: string, code: string, changes: string[]]>([
    ["is unchanged", both, []],
    ["is unchanged in another order", `${call}\n\n${options}`, []],
    ["has a new declaration", `${both}\n\nexport declare const version: string;`, ["minor version"]],
    ["has a new overload", `${both}\n\nexport declare function call(): void;`, ["minor call"]],
    ["has a new member", both.replace("number;\n", "number;\n    retry?: boolean;\n"), ["minor Options"]],
    ["lost a declaration", options, ["major call"]],
    ["lost a member", both.replace("    timeoutMs?: number;\n", ""), ["major Options"]],
    ["has a member of another type", both.replace("number", "bigint"), ["major Options"]],
    ["has another signature", both.replace("options: Options", "options: string"), ["major call"]],
  ])("%s", (_what, code, changes) => {
    expect(compareApis(api(both), api(code)).map(({ level, word }) => `${level} ${word}`)).toEqual(changes);
  });

  it.each<[what: string, was: Record<string, string>, is: Record<string, string>, levels: string[]]>([
    ["a peer added", {}, { "peers.x": "^1" }, ["major"]],
    ["a peer with another range", { "peers.x": "^1" }, { "peers.x": "^2" }, ["major"]],
    ["a peer removed", { "peers.x": "^1" }, {}, ["minor"]],
    ["a higher engine", { "engines.node": ">=18" }, { "engines.node": ">=20" }, ["major"]],
    ["another main", { main: "./a.cjs" }, { main: "./b.cjs" }, ["major"]],
    ["an entry added", {}, { "exports > ./new > import": "./new.js" }, ["minor"]],
    ["a condition removed", { "exports > . > require": "./a.cjs" }, {}, ["major"]],
  ])("package.json: %s", (_what, was, is, levels) => {
    expect(compareApis(api(both, was), api(both, is)).map(({ level }) => level)).toEqual(levels);
  });

  it("a removed package is a major change, and a new package is no change", () => {
    expect(compareApis(api(both), {}).map(({ level }) => level)).toEqual(["major"]);
    expect(compareApis({}, api(both))).toEqual([]);
  });
});

describe("a changeset announces a change", () => {
  const changeset = (level: string, text: string) => parseChangeset(`---\n"${name}": ${level}\n---\n\n${text}\n`);

  it.each<[level: string, text: string, announced: boolean]>([
    ["minor", "Adds `retry` to the options.", true],
    ["major", "Adds `Options.retry`.", true],
    ["patch", "Adds `retry`.", false],
    ["minor", "Adds `retryAfter`.", false],
    ["minor", "Adds something.", false],
  ])("%s: %s", (level, text, announced) => {
    expect(announces(changeset(level, text), name, "minor", ["retry"])).toBe(announced);
    expect(announces(changeset(level, text), "@platform-rpc/types", "minor", ["retry"])).toBe(false);
  });
});

it("a changeset that names something else of the same part does not announce an entry of a list", () => {
  const stale = parseChangeset(`---\n"${name}": minor\n---\n\nAdds Item.kind.\n`);
  expect(announces(stale, name, "minor", ["kind"])).toBe(true);
  expect(announces(stale, name, "minor", ["kind", "passport"])).toBe(false);
});

describe("a version matches a change", () => {
  it.each<[released: string | undefined, version: string, step: Step, fitting: boolean]>([
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
