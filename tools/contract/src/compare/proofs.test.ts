import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareApis } from "../baseline/compare-apis.ts";
import { parseReport } from "../baseline/package-apis.ts";
import { buildContract, startBuf } from "../buf/buf.ts";
import { type Fact, factsOf } from "../facts/facts.ts";
import { workspaceRoot } from "../testing/contract-copy.ts";
import { changeRules } from "./change-rules.ts";
import { compare } from "./compare.ts";
import { apiProofs } from "./testing/api-proofs.ts";
import { createProject, type Project } from "./testing/check-programs.ts";
import { additiveProofs, breakingProofs, type Proof, releasedProto, rulesOfServers } from "./testing/proofs.ts";

const proofs = [...breakingProofs, ...additiveProofs];
const root = realpathSync(mkdtempSync(join(tmpdir(), "proofs-")));
afterAll(() => rmSync(root, { recursive: true }));

let project: Project;
let facts: readonly Fact[];
beforeAll(async () => {
  project = createProject(root);
  cpSync(
    join(workspaceRoot, "proto/platform/options/v1/reason.proto"),
    join(root, "proto/platform/options/v1/reason.proto"),
  );
  writeFileSync(join(root, "buf.yaml"), "version: v2\nmodules:\n  - path: proto\n");
  // Every changed contract is one more version, so that buf and the plugin run once.
  for (const [version, text] of [releasedProto, ...proofs.map(changedProto)].entries())
    if (text !== "") project.write(`proto/platform/v${version + 1}/items.proto`, inVersion(text, version + 1));
  const plugin = { local: "protoc-gen-es", out: "gen", opt: ["target=js+dts", "import_extension=js"], strategy: "all" };
  const template = JSON.stringify({ version: "v2", plugins: [plugin] });
  const generated = await startBuf(root, ["generate", "--template", template]);
  expect(generated.report).toBe("");
  const contract = await buildContract(root);
  if ("faults" in contract) throw new Error(contract.faults.map(({ message }) => message).join("\n"));
  facts = factsOf(contract);
});

function changedProto({ edits }: Proof): string {
  return edits.reduce(
    (text, [before, after]) => {
      const edited = text.replace(before, after);
      if (edited === text) throw new Error(`The released contract does not contain ${before}.`);
      return edited;
    },
    edits.length === 0 ? "" : releasedProto,
  );
}

/** Numbers of extensions are unique in an image, so each version has its own range. */
function inVersion(text: string, version: number): string {
  return text
    .replaceAll("platform.v1", `platform.v${version}`)
    .replaceAll(/\b501(\d\d)\b/g, (_, number: string) => String(Number(number) + 50_000 + version * 100));
}

/** The facts of one version, spelled as those of version 1. */
function factsIn(version: number): readonly Fact[] {
  const own = facts.filter(({ path }) => new RegExp(`\\bplatform\\.v${version}(?!\\d)`).test(path));
  const placed = own.map((fact) =>
    fact.path.startsWith("extension ") && typeof fact.value === "number"
      ? { ...fact, value: fact.value - version * 100 }
      : fact,
  );
  return JSON.parse(JSON.stringify(placed).replaceAll(new RegExp(`platform\\.v${version}(?!\\d)`, "g"), "platform.v1"));
}

const rulesOf = (version: number) =>
  compare({ released: factsIn(1), current: factsIn(version), today: "2027-01-01" }).map(({ rule }) => rule);

const withContract = (version: number) => (proof: Proof) => ({
  source: proof.program.replaceAll(/\b501(\d\d)\b/g, (_, number: string) =>
    String(Number(number) + 50_000 + version * 100),
  ),
  imported: `gen/platform/v${version}/items_pb.js`,
});

describe("a rule of the contract: a program that was written for the release", () => {
  let results: readonly { readonly released: string | undefined; readonly changed: string | undefined }[];
  beforeAll(() => {
    const programs = [...proofs.map(withContract(1)), ...proofs.map((proof, index) => withContract(index + 2)(proof))];
    const failures = project.run(programs);
    results = proofs.map((_, index) => ({ released: failures[index], changed: failures[proofs.length + index] }));
  });

  it.each(proofs.map(({ rule }, index) => [rule, index] as const))("%s", (rule, index) => {
    const { released, changed } = results[index] ?? {};
    expect(rulesOf(index + 2)).toContain(rule);
    expect(released).toBeUndefined();
    if (changeRules[rule].kind === "breaking") expect(changed).toEqual(expect.any(String));
    else expect(changed).toBeUndefined();
  });

  it("every rule has a proof, or says what a server does", () => {
    const proven = proofs.map(({ rule }) => rule);
    expect([...proven, ...rulesOfServers].sort()).toEqual(Object.keys(changeRules).sort());
  });
});

describe("a rule of a package's API: a program that was written for the release", () => {
  const declarationsOf = (code: string) => parseReport(`## package\n\n\`\`\`ts\n${code}\n\`\`\`\n`);
  let failures: readonly (string | undefined)[];
  beforeAll(() => {
    const programs = apiProofs.flatMap(({ released, changed, program }, index) =>
      [released, changed].map((text, side) => {
        project.write(`apis/${index}-${side}.d.ts`, `${text}\n`);
        return { source: program, imported: `apis/${index}-${side}.js` };
      }),
    );
    failures = project.compile(programs);
  });

  it.each(apiProofs.map((proof, index) => ({ ...proof, index })))("$what", ({ level, released, changed, index }) => {
    const [before, after] = [released, changed].map((code) => ({
      package: { declarations: declarationsOf(code), manifest: {} },
    }));
    expect(new Set(compareApis(before ?? {}, after ?? {}).map((change) => change.level))).toEqual(new Set([level]));
    expect(failures[2 * index]).toBeUndefined();
    if (level === "major") expect(failures[2 * index + 1]).toEqual(expect.any(String));
    else expect(failures[2 * index + 1]).toBeUndefined();
  });
});
