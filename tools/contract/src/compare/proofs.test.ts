import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareApis } from "../baseline/api-changes.ts";
import { parseReport } from "../baseline/package-apis.ts";
import { buildContract, startBuf } from "../buf/buf.ts";
import { type Fact, factsOf } from "../facts/facts.ts";
import { changeRules } from "./change-rules.ts";
import { compare } from "./compare.ts";
import { apiProofs, type Proof, proofs, releasedProto } from "./testing/proofs.ts";

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** A program in TypeScript, and what its import of `#contract` or `#package` means. */
interface Program {
  readonly source: string;
  /** A path from the root of the project. */
  readonly imported: string;
}

/** A project in a folder. Its packages are those of this tool. */
interface Project {
  write(file: string, text: string): void;
  /** Compiles programs together. Returns the first error of each. Undefined: it compiles. */
  compile(programs: readonly Program[]): readonly (string | undefined)[];
  /** Compiles programs, and runs those that compile. Returns why each one fails. Undefined: it works. */
  run(programs: readonly Program[]): readonly (string | undefined)[];
}

function createProject(root: string): Project {
  symlinkSync(packages, join(root, "node_modules"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write("package.json", '{ "type": "module" }');
  let count = 0;
  const add = ({ source, imported }: Program) => {
    count += 1;
    const file = `programs/${count}.ts`;
    write(file, `${source.replaceAll(/"#(?:contract|package)"/g, `"../${imported}"`)}\nexport {};\n`);
    return join(root, file);
  };
  return {
    write,
    compile(programs) {
      const files = programs.map(add);
      const errors = compile(files);
      return files.map((file) => errors.get(file));
    },
    run(programs) {
      const files = programs.map(add);
      const errors = compile(files);
      const compiled = files.filter((file) => !errors.has(file));
      const failures = new Map(run(root, compiled).map((failure, index) => [compiled[index], failure]));
      return files.map((file) => errors.get(file) ?? failures.get(file));
    },
  };
}

/** Returns the first error of each file that has one. */
function compile(files: readonly string[]): ReadonlyMap<string, string> {
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts"],
    strict: true,
    skipLibCheck: true,
    types: [],
  });
  const errors = new Map<string, string>();
  for (const file of program.getSourceFiles()) {
    if (!files.includes(file.fileName)) continue;
    const [found] = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    if (found === undefined) program.emit(file);
    else errors.set(file.fileName, ts.flattenDiagnosticMessageText(found.messageText, "\n"));
  }
  return errors;
}

/** Runs compiled programs in one process. Returns why each one fails. Undefined: it does not. */
function run(root: string, files: readonly string[]): readonly (string | undefined)[] {
  const urls = files.map((file) => pathToFileURL(file.replace(/ts$/, "js")).href);
  const main = join(root, "run.js");
  writeFileSync(
    main,
    `const urls = ${JSON.stringify(urls)};
const failures = await Promise.all(urls.map((url) => import(url).then(() => undefined, String)));
console.log(JSON.stringify(failures.map((failure) => failure ?? null)));
`,
  );
  const failures: readonly (string | null)[] = JSON.parse(execFileSync(process.execPath, [main], { encoding: "utf8" }));
  return failures.map((failure) => failure ?? undefined);
}

const root = realpathSync(mkdtempSync(join(tmpdir(), "proofs-")));
afterAll(() => rmSync(root, { recursive: true }));

let project: Project;
let facts: readonly Fact[];
beforeAll(async () => {
  project = createProject(root);
  writeFileSync(join(root, "buf.yaml"), "version: v2\nmodules:\n  - path: proto\n");
  // Every changed contract is one more version, so that buf and the plugin run once.
  for (const [version, text] of [releasedProto, ...proofs.map(changedProto)].entries())
    project.write(`proto/platform/v${version + 1}/items.proto`, inVersion(text, version + 1));
  const plugin = { local: "protoc-gen-es", out: "gen", opt: ["target=js+dts", "import_extension=js"], strategy: "all" };
  const template = JSON.stringify({ version: "v2", plugins: [plugin] });
  const generated = await startBuf(root, ["generate", "--template", template]);
  expect(generated.report).toBe("");
  const contract = await buildContract(root);
  if ("faults" in contract) throw new Error(contract.faults.map(({ message }) => message).join("\n"));
  facts = factsOf(contract);
});

function changedProto({ edit: [before, after] }: Proof): string {
  const edited = releasedProto.replace(before, after);
  if (edited === releasedProto) throw new Error(`The released contract does not contain ${before}.`);
  return edited;
}

function inVersion(text: string, version: number): string {
  return text.replaceAll("platform.v1", `platform.v${version}`);
}

/** The facts of one version, spelled as those of version 1. */
function factsIn(version: number): readonly Fact[] {
  const own = facts.filter(({ path }) => new RegExp(`\\bplatform\\.v${version}(?!\\d)`).test(path));
  return JSON.parse(JSON.stringify(own).replaceAll(new RegExp(`platform\\.v${version}(?!\\d)`, "g"), "platform.v1"));
}

const rulesOf = (version: number) =>
  compare({ released: factsIn(1), current: factsIn(version), today: "2027-01-01" }).map(({ rule }) => rule);

const withContract = (version: number) => (proof: Proof) => ({
  source: proof.program,
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
      package: [...declarationsOf(code)],
    }));
    expect(new Set(compareApis(before ?? {}, after ?? {}).map((change) => change.step))).toEqual(new Set([level]));
    expect(failures[2 * index]).toBeUndefined();
    if (level === "major") expect(failures[2 * index + 1]).toEqual(expect.any(String));
    else expect(failures[2 * index + 1]).toBeUndefined();
  });
});
