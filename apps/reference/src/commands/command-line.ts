import { Command, InvalidArgumentError } from "commander";
import { readSettings } from "../settings.js";
import { backUp } from "./back-up.js";
import { restore } from "./restore.js";
import { trustClock } from "./trust-clock.js";

/** Runs the command that the arguments name: without one, `serve`. Ends the process when the arguments are wrong. */
export async function runCommandLine(
  argv: readonly string[],
  { serve, print }: { readonly serve: () => Promise<void>; readonly print: (text: string) => void },
): Promise<void> {
  const run = async (command: Promise<readonly string[]>) => print(`${(await command).join("\n")}\n`);
  const program = new Command("platform")
    .description("Serves the platform. Settings are environment variables: see apps/reference/README.md.")
    .action(serve);
  program
    .command("backup")
    .description("Makes a backup of the database in a new file, also while the platform is running.")
    .argument("<file>", "the backup: must not exist")
    .action((file: string) => run(backUp(readSettings(process.env), file)));
  program
    .command("restore")
    .description("Replaces the database with a backup. The platform must not be running.")
    .argument("<file>", "the backup")
    .option(
      "--gap <sequences>",
      "the sequences to skip in each vault; for when a restore says that too few are left",
      parseGap,
    )
    .action((file: string, options: { gap?: number }) => run(restore(readSettings(process.env), file, options)));
  program
    .command("trust-clock")
    .description(
      "Tells the running platform that the clock of this machine is right: shredding and key rotation go on.",
    )
    .action(() => run(trustClock(readSettings(process.env))));
  await program.parseAsync([...argv]);
}

function parseGap(text: string): number {
  const gap = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
  if (gap < 1) throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return gap;
}
