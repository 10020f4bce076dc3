import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import {
  checkBreaking,
  checkContract,
  checkGenerated,
  checkLint,
  type Findings,
  generateAll,
  judgeContract,
  releaseContract,
  type Workspace,
  writeContractDocuments,
} from "./commands.ts";
import { today } from "./model/calendar.ts";
import { type Finding, unjudged } from "./model/finding.ts";
import { asAnnotation, asJsonReport, asText, exitCodeOf, summary } from "./report.ts";

interface Options {
  readonly root: string;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly first?: boolean;
}

type Run = (workspace: Workspace, options: Options) => Findings;

const thisWorkspace = fileURLToPath(new URL("../../..", import.meta.url));

const program = new Command("contract")
  .description("Checks the contract, and compares it with the released one.")
  .option("--json", "print the findings as one JSON object")
  .option("--root <folder>", "the workspace to check (default: this one)")
  .helpCommand(false)
  .exitOverride()
  .addHelpText(
    "after",
    "\nExit codes: 0 passed, 1 findings to fix, 2 wrong usage, 3 not checked (no readable release).\n" +
      "In CI each finding is also an annotation. The rules: docs/contract-rules.md.",
  );

command("check", "run every check, by this gate and by that of the merge base; the default", checkContract);
command("judge", "run every check by this gate alone", judgeContract);
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
      const { CONTRACT_BASE } = process.env;
      const workspace = { root: options.root, today: today(), pushedOnto: CONTRACT_BASE || undefined };
      report(name, await judged(() => run(workspace, options)), options);
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
