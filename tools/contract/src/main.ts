import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { breaking } from "./breaking.ts";
import { check, lock } from "./check.ts";
import { drift } from "./drift.ts";
import type { Faults } from "./faults.ts";
import { type Finding, failure, startOf, unjudged } from "./finding.ts";
import { generate } from "./generate.ts";
import { lint } from "./lint.ts";
import { release } from "./release.ts";
import { asAnnotation, asJsonReport, asText, exitCodeOf, summary } from "./report.ts";
import { writeRulesPage } from "./rules-page.ts";
import { writeDocuments } from "./write-documents.ts";

interface Options {
  readonly root: string;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly first?: boolean;
}

type Run = (options: Options) => Promise<readonly Finding[]> | readonly Finding[];

const thisWorkspace = fileURLToPath(new URL("../../..", import.meta.url));

const program = new Command("contract")
  .description("Keeps the contract in order, and keeps it from breaking those who rely on it.")
  .option("--json", "print the findings as one JSON object")
  .option("--root <folder>", "the workspace to judge (default: this one)")
  .helpCommand(false)
  .exitOverride()
  .addHelpText(
    "after",
    "\nExit codes: 0 passed, 1 something has to be mended, 2 wrong usage, 3 cannot judge (no or no readable release).\n" +
      "In CI each finding is also an annotation. The rules: docs/contract-rules.md.",
  );

command("check", "lint, the lock and breaking, with one build of the contract; the default", ({ root }) => check(root));
command("lint", "format, buf's rules, and our own about operations, fields and reasons", ({ root }) => lint(root));
command("breaking", "compare with the released contract", ({ root }) => breaking(root));
command("lock", "write the lock of today's contract, proto/contract.lock.json", ({ root }) => lock(root));
command("openapi", "write the OpenAPI document and the error pages", async ({ root }) =>
  generated(await writeDocuments(root, root)),
);
command("release", "make today's contract the released one", ({ root, first = false }) =>
  release(root, { first }),
).option("--first", "nothing is released yet: do not compare");
command("generate", "make everything that is made from proto/, the lock included", ({ root, check: only = false }) =>
  only ? reportDrift(root) : generateAll(root),
).option("--check", "say what is not what proto/ gives, and leave it");

try {
  const words = process.argv.slice(2);
  // Commander would take a command that it does not know for an argument of a default one.
  const named = words.some((word) => /^(?:-h|--help)$/.test(word)) || program.parseOptions(words).operands.length > 0;
  await program.parseAsync(named ? words : ["check", ...words], { from: "user" });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

function command(name: string, description: string, run: Run): Command {
  return program
    .command(name)
    .description(description)
    .allowExcessArguments(false)
    .action(async (own: Partial<Options>) => {
      const options: Options = { root: thisWorkspace, ...program.opts<Partial<Options>>(), ...own };
      report(name, await judged(() => run(options)), options);
    });
}

/** What keeps a check from its end is no pass, and no fault of the contract either. */
async function judged(run: () => ReturnType<Run>): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [unjudged("internal", "tools/contract", error instanceof Error ? error.message : String(error))];
  }
}

async function generateAll(root: string): Promise<readonly Finding[]> {
  writeRulesPage(root);
  return [...generated(await generate(root, root)), ...(await lock(root))];
}

async function reportDrift(root: string): Promise<readonly Finding[]> {
  return generated(await drift(root));
}

function generated(faults: Faults): readonly Finding[] {
  return faults.map((fault) => failure("generated", startOf("proto"), fault));
}

function report(name: string, findings: readonly Finding[], { json = false }: Options): void {
  process.exitCode = exitCodeOf(findings);
  if (json) {
    console.log(asJsonReport(name, findings));
    return;
  }
  const { CI = "", GITHUB_ACTIONS = "" } = process.env;
  for (const finding of findings) console.error(`${asText(finding)}\n`);
  if (/^(?:1|true)$/.test(CI) || GITHUB_ACTIONS === "true") {
    for (const finding of findings) console.log(asAnnotation(finding));
  }
  console.log(summary(name, findings));
}
