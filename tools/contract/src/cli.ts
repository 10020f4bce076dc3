import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import {
  checkBreaking,
  checkContract,
  checkGenerated,
  checkLint,
  type Findings,
  generateAll,
  releaseContract,
  type Workspace,
  writeContractDocuments,
} from "./commands.ts";
import { today } from "./model/calendar.ts";
import { type Finding, unjudged } from "./model/finding.ts";

interface Options {
  readonly root: string;
  readonly check?: boolean;
  readonly first?: boolean;
}

type Run = (workspace: Workspace, options: Options) => Findings;

const thisWorkspace = fileURLToPath(new URL("../../..", import.meta.url));

const program = new Command("contract")
  .description("Checks the contract, and compares it with the released one.")
  .option("--root <folder>", "the workspace to check (default: this one)")
  .helpCommand(false)
  .exitOverride()
  .addHelpText(
    "after",
    "\nExit codes: 0 passed, 1 findings to fix, 2 wrong usage, 3 not checked (no readable release).\n" +
      "The rules: docs/contract-rules.md.",
  );

command("check", "run every check; the default", checkContract);
command("lint", "check the format, buf's rules, and our own", checkLint);
command("breaking", "compare with the released contract", checkBreaking);
command("openapi", "write the OpenAPI documents, and the pages of operations and errors", writeContractDocuments);
command("release", "make today's contract the released one", (workspace, { first = false }) =>
  releaseContract(workspace, first),
).option("--first", "nothing is released yet: record a draft without comparing");
command("generate", "generate everything from proto/", (workspace, { check: only = false }) =>
  only ? checkGenerated(workspace) : generateAll(workspace),
).option("--check", "compare with the committed files instead of writing");

try {
  const words = process.argv.slice(2);
  // With a default command, commander would treat an unknown command as its argument.
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
      const { CONTRACT_BASE, GITHUB_BASE_REF } = process.env;
      const origin = { pushedOnto: CONTRACT_BASE || undefined, target: GITHUB_BASE_REF || undefined };
      const workspace = { root: options.root, today: today(), origin };
      report(name, await judged(() => run(workspace, options)));
    });
}

/** Returns an error that a check throws as a finding: the check did not pass, but the contract is not at fault. */
async function judged(run: () => Findings): Findings {
  try {
    return await run();
  } catch (error) {
    return [unjudged("internal", "tools/contract", error instanceof Error ? error.message : String(error))];
  }
}

function report(name: string, findings: readonly Finding[]): void {
  process.exitCode = exitCodeOf(findings);
  for (const finding of findings) console.error(`${asText(finding)}\n`);
  console.log(summary(name, findings));
}

/** The exit code: 0 passed, 1 something fails, 3 something was not checked. 2 is for wrong usage. */
type ExitCode = 0 | 1 | 3;

function exitCodeOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ verdict }) => verdict === "unjudged")) return 3;
  return findings.some(({ verdict }) => verdict === "fails") ? 1 : 0;
}

/** Formats a finding as text: place, severity and rule, then what is wrong and what to do. */
function asText(finding: Finding): string {
  const { rule, verdict, place, message, change } = finding;
  const grade = { fails: "error", noted: "note", unjudged: "not checked" }[verdict];
  const kind = change === undefined ? "" : `${change}, `;
  const lines = message.split("\n").map((line) => `  ${line}`);
  return `${place.file}:${place.line}:${place.column} ${grade} (${kind}${rule})\n${lines.join("\n")}`;
}

function summary(command: string, findings: readonly Finding[]): string {
  const count = findings.filter(({ verdict }) => verdict !== "noted").length;
  const outcome = { 0: "passed", 1: `FAILED, ${count} to fix`, 3: "NOT CHECKED" }[exitCodeOf(findings)];
  return `contract ${command}: ${outcome}`;
}
