import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { breaking } from "./breaking.ts";
import { check, lock } from "./check.ts";
import { drift } from "./drift.ts";
import { type Finding, failure, startOf, unjudged } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { generate } from "./generate.ts";
import { lint } from "./lint.ts";
import { writeDocuments } from "./openapi/write-documents.ts";
import { release } from "./release.ts";
import { asAnnotation, asJsonReport, asText, exitCodeOf, summary } from "./report.ts";
import { writeRulesPage } from "./rules-page.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const inCi = process.env["GITHUB_ACTIONS"] === "true" || /^(?:1|true)$/.test(process.env["CI"] ?? "");

const program = new Command("contract")
  .description("Keeps the contract in order, and keeps it from breaking those who rely on it.")
  .option("--json", "print the findings as one JSON object")
  .helpCommand(false)
  .exitOverride()
  .addHelpText(
    "after",
    "\nExit codes: 0 passed, 1 something has to be mended, 2 wrong usage, 3 cannot judge (no or no readable release).\n" +
      "In CI each finding is also an annotation. The rules: docs/contract-rules.md.",
  );

command("check", "lint, the lock and breaking, with one build of the contract; the default", () => check(root));
command("lint", "format, buf's rules, and our own about operations, fields and reasons", () => lint(root));
command("breaking", "compare with the released contract", () => breaking(root));
command("lock", "write the lock of today's contract, proto/contract.lock.json", () => lock(root));
command("openapi", "write the OpenAPI document and the error pages", () => generated(writeDocuments(root, root)));
command("release", "make today's contract the released one", (options) =>
  release(root, { first: options.first === true }),
).option("--first", "nothing is released yet: do not compare");
command("generate", "make everything that is made from proto/, the lock included", (options) =>
  options.check === true ? generated(drift(root)) : generateAll(),
).option("--check", "say what is not what proto/ gives, and leave it");

try {
  const words = process.argv.slice(2);
  // Commander would take a command that it does not know for an argument of a default one.
  const complete = words.some((word) => !word.startsWith("-") || /^(?:-h|--help)$/.test(word));
  await program.parseAsync(complete ? words : ["check", ...words], { from: "user" });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

interface Options {
  readonly check?: boolean;
  readonly first?: boolean;
}

function command(
  name: string,
  description: string,
  run: (options: Options) => Promise<readonly Finding[]> | readonly Finding[],
): Command {
  return program
    .command(name)
    .description(description)
    .allowExcessArguments(false)
    .action(async (options: Options) => report(name, await judged(() => run(options))));
}

/** What keeps a check from its end is no pass, and no fault of the contract either. */
async function judged(run: () => Promise<readonly Finding[]> | readonly Finding[]): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [unjudged("internal", "tools/contract", error instanceof Error ? error.message : String(error))];
  }
}

async function generateAll(): Promise<readonly Finding[]> {
  writeRulesPage(root);
  return [...generated(generate(root, root)), ...(await lock(root))];
}

function generated(findings: Findings): readonly Finding[] {
  return findings.map((finding) => failure("generated", startOf("proto"), finding));
}

function report(name: string, findings: readonly Finding[]): void {
  process.exitCode = exitCodeOf(findings);
  if (program.opts<{ json?: boolean }>().json === true) {
    console.log(asJsonReport(name, findings));
    return;
  }
  for (const finding of findings) console.error(`${asText(finding)}\n`);
  if (inCi) for (const finding of findings) console.log(asAnnotation(finding));
  console.log(summary(name, findings));
}
