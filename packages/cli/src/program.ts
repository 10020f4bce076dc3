import { version } from "@platform-rpc/signed-in";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { doctor } from "./commands/doctor.js";
import { deleteItem, listItems, restoreItem } from "./commands/items.js";
import { login } from "./commands/login.js";
import { logout } from "./commands/logout.js";
import { lock, unlock } from "./commands/unlock.js";
import { watch } from "./commands/watch.js";
import { whoami } from "./commands/whoami.js";
import { completionScript, isShell } from "./completion.js";
import { allScopes } from "./session/connect.js";
import { type Explanation, exitCode, explain } from "./terminal/explain.js";
import { escaping, type Terminal } from "./terminal/terminal.js";
import { removeExpired } from "./unlocked/unlocked-file.js";

const exitCodes = `
Exit codes:
  0 done   1 failed   2 wrong command line   3 not signed in   4 somebody changed the item first
  5 the platform cannot be reached   130 ended by Ctrl+C
`;

function createProgram(terminal: Terminal, json: boolean): Command {
  const program = new Command("platform")
    .description("Works with the vaults of the platform, as the person who is signed in.")
    .version(version)
    .addHelpText("after", exitCodes)
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => {
        if (!json) write(text);
      },
    })
    // `--version` of a command is that of an item.
    .enablePositionalOptions()
    .hook("preAction", () => removeExpired(terminal))
    .exitOverride();

  program
    .command("login")
    .description("sign in: opens a browser on this computer, or shows a code to approve in a browser anywhere")
    .option("--url <url>", "the URL of the API; default: $PLATFORM_URL, or that of the last login")
    .option("--accounts <url>", "the URL of the accounts origin; default: the one that the API names")
    .addOption(new Option("--scope <scopes...>", "what to ask for; default: vault.items:read").choices(allScopes))
    .option("--device", "show a code, also if a browser can be opened on this computer")
    .option("--no-qr", "show no QR code")
    .option("--json", "print the page or the code, and the result, as lines of JSON")
    .action((options) => login(terminal, options));
  program
    .command("whoami")
    .description("show who is signed in, where, with which scopes, and whether the server accepts the session")
    .option("--json", "print JSON")
    .action((options) => whoami(terminal, options));
  program
    .command("logout")
    .description("end the session, here and on the server")
    .action(() => logout(terminal));

  program
    .command("unlock")
    .description("get the keys of your vaults from your browser, to read and write items for a while")
    .addOption(new Option("--for <time>", "how long: 1m to 12h").default(defaultLifeMs, "15m").argParser(lifeMs))
    .option("--json", "print the code and the page, and the result, as lines of JSON")
    .action((options) => unlock(terminal, options));
  program
    .command("lock")
    .description("remove the keys of your vaults from this computer")
    .action(() => lock(terminal));

  const items = program.command("items").description("list, delete and restore items");
  items
    .command("list")
    .description("list the items of a vault; titles and contents are encrypted")
    .option("--vault <id>", "the vault; default: your only one")
    .option("--deleted", "list the deleted items")
    .option("--json", "print lines of JSON")
    .action((options) => listItems(terminal, options));
  items
    .command("delete")
    .description("delete an item")
    .argument("<item>", "the id of the item")
    .option("--vault <id>", "the vault; default: your only one")
    .option("--version <number>", "the version that you saw; default: the current one", wholeNumber(1))
    .option("--json", "print JSON")
    .action((item, options) => deleteItem(terminal, item, options));
  items
    .command("restore")
    .description("restore a deleted item")
    .argument("<item>", "the id of the item")
    .option("--vault <id>", "the vault; default: your only one")
    .option("--version <number>", "the version that you saw; default: the current one", wholeNumber(1))
    .option("--json", "print JSON")
    .action((item, options) => restoreItem(terminal, item, options));

  program
    .command("watch")
    .description("print the changes of a vault as they happen")
    .option("--vault <id>", "the vault; default: your only one")
    .option("--cursor <sequence>", "the position to start after; default: 0, from the start", wholeNumber(0))
    .option("--json", "print lines of JSON")
    .action((options) => watch(terminal, options));
  program
    .command("doctor")
    .description("check the URL, TLS, the clock and the session, and show its scopes")
    .option("--json", "print lines of JSON")
    .action((options) => doctor(terminal, options));
  program
    .command("completion")
    .description("print a completion script: source <(platform completion bash)")
    .argument("<shell>", "bash, zsh or fish", shell)
    .action((name) => terminal.out(completionScript(program, name)));
  return program;
}

/** Runs the program. Resolves with the exit code. */
export async function run(output: Terminal, words: readonly string[]): Promise<number> {
  const terminal = escaping(output);
  const json = words.includes("--json");
  const printError = (error: Omit<Explanation, "code">) => terminal.err(`${JSON.stringify({ error })}\n`);
  try {
    await createProgram(terminal, json).parseAsync(words, { from: "user" });
    return exitCode.done;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return exitCode.done;
      if (json) printError({ message: thrown.message.replace(/^error: /, "") });
      return exitCode.usage;
    }
    const { code, ...error } = explain(thrown);
    const ended = code === exitCode.canceled || terminal.signal.aborted;
    if (json) printError(error);
    else terminal.err(ended ? "\nCanceled.\n" : `${error.message}\n`);
    return ended ? exitCode.canceled : code;
  }
}

/** Returns a parser of versions and sequences, which are 32 bits long. */
function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= 0xffffffff) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${0xffffffff}.`);
  };
}

const minuteMs = 60_000;
const defaultLifeMs = 15 * minuteMs;

function lifeMs(text: string): number {
  const [, count = "", unit] = /^([0-9]{1,3})(m|h)$/.exec(text) ?? [];
  const ms = Number(count) * minuteMs * (unit === "h" ? 60 : 1);
  if (ms >= minuteMs && ms <= 12 * 60 * minuteMs) return ms;
  throw new InvalidArgumentError("It must be a time from 1m to 12h, such as 15m or 2h.");
}

function shell(name: string) {
  if (!isShell(name)) throw new InvalidArgumentError("It must be bash, zsh or fish.");
  return name;
}
