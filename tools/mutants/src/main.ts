import { globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describe, type Mutant, newSurvivors, type Result } from "./mutant.ts";
import { mutate } from "./mutate.ts";
import { startTests } from "./tests.ts";

/** The files whose lines are changed. */
const rules = [
  "packages/server/src/domain/*.ts",
  "packages/server/src/domain/model/*.ts",
  "packages/server/src/tokens/{key-file,file-key-store}.ts",
  "packages/client/src/crypto/key-agreement.ts",
];
/** The tests that must notice it: those that take milliseconds, because each survivor meets all of them that reach it. */
const testFiles = [
  "packages/server/src/{domain,services,jobs,tokens,audit,testing}/**/*.test.ts",
  "packages/server/src/*.test.ts",
  "packages/client/src/crypto/*.test.ts",
];

const { values, positionals } = parseArgs({
  options: { out: { type: "string" }, before: { type: "string" } },
  allowPositionals: true,
});

const root = join(import.meta.dirname, "../../..");
process.chdir(root);
const mutants: Mutant[] = [];
const tests = await startTests(root, testFiles, excluded(), compileRules());
const files = (await tests.run(tests.paths.map((path) => ({ path })))).toSorted((one, other) => one.cost - other.cost);
const broken = files.find(({ failed }) => failed !== undefined);
if (broken !== undefined) throw new Error(`A test fails without any change: ${broken.failed}`);
console.log(`${mutants.length} mutants, ${files.length} test files`);

// In each round, every mutant that is still alive meets the next test file that reaches it, the cheapest first.
const killedBy = new Map<number, string>();
const waiting = new Map(mutants.map((_, id) => [id, files.filter(({ reached }) => reached.includes(id))]));
while (waiting.size > 0) {
  const runs = [...waiting].flatMap(([mutant, [file]]) => (file === undefined ? [] : [{ path: file.path, mutant }]));
  for (const { mutant, failed } of await tests.run(runs)) {
    if (mutant !== undefined && failed !== undefined) killedBy.set(mutant, failed);
  }
  for (const [mutant, [_, ...others]] of waiting) {
    if (others.length === 0 || killedBy.has(mutant)) waiting.delete(mutant);
    else waiting.set(mutant, others);
  }
  console.log(`${mutants.length - killedBy.size} are alive, ${waiting.size} of them have more tests`);
}
await tests.close();

const results: Result[] = mutants.map((mutant, id) => ({ ...mutant, killedBy: killedBy.get(id) }));
const survivors = results.filter(({ killedBy }) => killedBy === undefined);
for (const mutant of survivors) console.log(describe(mutant));
console.log(`${survivors.length} of ${results.length} mutants survived.`);
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(results, undefined, 1)}\n`);
if (values.before !== undefined) {
  const before: Result[] = JSON.parse(readFileSync(values.before, "utf8"));
  const more = newSurvivors(before, results);
  console.log(`${more.length} of them did not survive in ${values.before}.`);
  for (const mutant of more) console.log(describe(mutant));
  process.exitCode = more.length > 0 ? 1 : 0;
}

/** Compiles the rules, and collects their mutants: the id of a mutant is its place in the list. */
function compileRules(): ReadonlyMap<string, string> {
  const compiled = new Map<string, string>();
  for (const pattern of rules) {
    const files = globSync(pattern, { exclude: ["**/*.test.ts"] }).sort();
    if (files.length === 0)
      throw new Error(`No file matches ${pattern}. Update the list in tools/mutants/src/main.ts.`);
    for (const file of files) {
      const code = mutate(file, readFileSync(file, "utf8"), (mutant) => {
        const isChosen = positionals.length === 0 || positionals.some((text) => describe(mutant).includes(text));
        return isChosen ? mutants.push(mutant) - 1 : undefined;
      });
      compiled.set(join(root, file), code);
    }
  }
  return compiled;
}

/** The tests that need a worker of their own, or PostgreSQL. */
function excluded(): string[] {
  const { test }: VitestConfig = createRequire(import.meta.url)("../../../vitest.config.cjs");
  return [...test.exclude, ...test.projects.flatMap((project) => project.test.exclude ?? [])];
}

interface VitestConfig {
  readonly test: {
    readonly exclude: readonly string[];
    readonly projects: readonly { readonly test: { readonly exclude?: readonly string[] } }[];
  };
}
