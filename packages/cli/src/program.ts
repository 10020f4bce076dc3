import { fieldTypes } from "@platform-rpc/items/item-content";
import { newKinds } from "@platform-rpc/items/kinds";
import { removeExpired, version } from "@platform-rpc/signed-in";
import { Argument, Command, CommanderError, Option } from "commander";
import { addBroker } from "./commands/broker-command.js";
import { complete, completed } from "./commands/complete.js";
import { clearClipboardLater, copyItem } from "./commands/copy-item.js";
import { deleteItem, restoreItem } from "./commands/delete-item.js";
import { doctor } from "./commands/doctor.js";
import { getItem } from "./commands/get-item.js";
import { listItems } from "./commands/list-items.js";
import { login, logout } from "./commands/login.js";
import { createItem, editItem } from "./commands/put-item.js";
import { runCommand } from "./commands/run.js";
import { lock, unlock } from "./commands/unlock.js";
import { createVault, printVaults, useVault } from "./commands/vaults.js";
import { watch } from "./commands/watch.js";
import { whoami } from "./commands/whoami.js";
import { completionScript } from "./completion.js";
import { allScopes, folderOf } from "./session/connect.js";
import { collect, list, passwordLength, shell, unlockedMs, unlockTime, wholeNumber } from "./terminal/arguments.js";
import { type Explanation, exitCode, explain, meaningOf } from "./terminal/explain.js";
import { bold, examples } from "./terminal/help.js";
import { jsonKeys } from "./terminal/json-keys.js";
import { hasColour } from "./terminal/styled.js";
import { asJson, escaping, type Terminal } from "./terminal/terminal.js";

const exitCodes = Object.entries(meaningOf).map(([code, meaning]) => `  ${code} ${meaning}`);

const vaultOption = [
  "--vault <vault>",
  "the vault, by its id or name; default: that of platform vaults use, or your only one",
] as const;
const itemArgument = ["<item>", "the id or the exact title of the item"] as const;

const older = ["--older", "use an item although this computer has seen a newer or another content of it"] as const;

/** A command whose help is a result, also if its own commands are missing on the command line. */
class HelpfulCommand extends Command {
  override createCommand(name?: string): Command {
    return new HelpfulCommand(name);
  }

  override help(): never {
    return super.help();
  }
}

function createProgram(terminal: Terminal, json: boolean, ofTeam: boolean, onExitCode: (code: number) => void) {
  const program = new HelpfulCommand("platform")
    .description("Works with the vaults of the platform, as the person who is signed in.")
    .version(version)
    .addHelpText(
      "after",
      examples(
        "platform login",
        "platform unlock",
        "platform items list --search mail",
        'platform items get "Example mail" --field password',
        'platform items copy "Example mail"',
        "platform run --env-file app.env -- npm start",
      ),
    )
    .addHelpText("after", `\n${bold("Exit codes:")}\n${exitCodes.join("\n")}`)
    .configureOutput({
      // It is the text of this program, with its own colours.
      writeOut: (text) => terminal.outBytes(Buffer.from(text)),
      getOutHasColors: () => hasColour(terminal),
      writeErr: terminal.err,
      outputError: (text, write) => {
        if (!json) write(withoutValue(text));
      },
    })
    // `--version` of a command is that of an item.
    .enablePositionalOptions()
    .configureHelp({ styleTitle: bold })
    .hook("preAction", () => removeExpired(folderOf(terminal)))
    .exitOverride();

  program
    .command("login")
    .description("sign in: opens a browser on this computer, or shows a code to approve in a browser anywhere")
    .option(
      "--url <url>",
      "the URL of the API; default: $PLATFORM_URL, or that of the last login, or a server on this machine",
    )
    .option("--accounts <url>", "the URL of the accounts origin; default: the one that the API names")
    .addOption(new Option("--scope <scopes...>", "what to ask for; default: vault.items:read").choices(allScopes))
    .option("--device", "show a code, also if a browser can be opened on this computer")
    .option("--no-qr", "show no QR code")
    .addHelpText(
      "after",
      examples(
        "platform login --url https://api.example.com",
        "platform login --scope vault.items:read vault.items:write",
        "platform login --device",
      ),
    )
    .action((options) => login(terminal, options));
  program
    .command("whoami")
    .description("show who is signed in, where, with which scopes, and whether the server accepts the session")
    .addHelpText("after", examples("platform whoami", "platform whoami --json | jq -r .apiUrl"))
    .action((options) => whoami(terminal, options));
  program
    .command("logout")
    .description("end the session, here and on the server")
    .action(() => logout(terminal));

  program
    .command("unlock")
    .description("get the keys of your vaults from your browser, to read and write items for a while")
    .addOption(new Option("--for <time>", "how long: 1m to 7d").default(unlockedMs, "15m").argParser(unlockTime))
    .addHelpText("after", examples("platform unlock", "platform unlock --for 2h"))
    .action((options) => unlock(terminal, options));
  program
    .command("lock")
    .description("remove the keys of your vaults from this computer")
    .action(() => lock(terminal));

  addVaults(program, terminal);
  addItems(program, terminal);

  program
    .command("run")
    .description("run a command with the secrets to which its environment refers, and mask them in what it prints")
    .argument("<command...>", "the command and its arguments, after --")
    .option("--env-file <file>", "read more variables from a file; can be repeated", collect)
    .option("--no-masking", "do not mask the secrets, and give the command the terminal itself")
    .option(...older)
    .passThroughOptions()
    .addHelpText(
      "after",
      examples(
        "DB_PASSWORD=pvault://Work/Database/password platform run -- node server.js",
        "platform run --env-file app.env -- npm start",
      ),
    )
    .addHelpText(
      "after",
      `
A variable whose whole value is pvault://vault/item/field gets the value of the field. Vaults and items are named by
their ids, or by exact names and titles, where "/" is %2F and "%" is %25. The exit code is that of the command.`,
    )
    .action(async (words, options) => onExitCode(await runCommand(terminal, words, options)));
  addBroker(program, terminal, ofTeam);
  program
    .command("watch")
    .description("print the changes of a vault as they happen")
    .option(...vaultOption)
    .option("--cursor <sequence>", "the position to start after; default: 0, from the start", wholeNumber(0))
    .addHelpText("after", examples("platform watch", "platform watch --cursor 42 --json"))
    .action((options) => watch(terminal, options));
  program
    .command("doctor")
    .description("check the URL, TLS, the clock and the session, and show its scopes")
    .addHelpText("after", examples("platform doctor"))
    .action((options) => doctor(terminal, options));
  program
    .command("completion")
    .description("print a completion script: source <(platform completion bash)")
    .argument("<shell>", "bash, zsh or fish", shell)
    .addHelpText(
      "after",
      examples(
        "source <(platform completion bash)",
        "platform completion fish > ~/.config/fish/completions/platform.fish",
      ),
    )
    .action((name) => terminal.out(completionScript(program, name)));
  // The scripts of `completion` call it.
  program
    .command("complete", { hidden: true })
    .addArgument(new Argument("<what>").choices(completed))
    .option("--vault <vault>")
    .action((what, options) => complete(terminal, what, options));
  // `items copy` starts it.
  program.command("clear-clipboard", { hidden: true }).action(() => clearClipboardLater(terminal));
  for (const [name, keys] of Object.entries(jsonKeys)) {
    const find = (parent: Command, word: string) => parent.commands.find((each) => each.name() === word) ?? parent;
    const command = name.split(" ").reduce(find, program);
    if (command !== program) command.option("--json", "print lines of JSON");
    command.addHelpText("after", `\n${bold("Keys of --json:")}\n  ${keys.join(", ")}`);
  }
  return program;
}

function addVaults(program: Command, terminal: Terminal): void {
  const vaults = program
    .command("vaults")
    .description("list and create vaults, and choose the one that commands use")
    .addHelpText(
      "after",
      examples("platform vaults list", "platform vaults use Work", 'platform vaults create "Side project"'),
    );
  vaults
    .command("list")
    .description("list your vaults; names are shown while they are unlocked")
    .addHelpText("after", examples("platform vaults list", "platform vaults list --json"))
    .action((options) => printVaults(terminal, options));
  vaults
    .command("use")
    .description("choose the vault that commands use without --vault")
    .argument("<vault>", "the id or the name of the vault")
    .addHelpText("after", examples("platform vaults use Work"))
    .action((vault, options) => useVault(terminal, vault, options));
  vaults
    .command("create")
    .description("open the page that creates a vault, and print the id of the new vault")
    .argument("<name>", "the name of the vault, which the server cannot read")
    .addHelpText("after", examples('platform vaults create "Side project"'))
    .action((name, options) => createVault(terminal, name, options));
}

function addItems(program: Command, terminal: Terminal): void {
  const items = program
    .command("items")
    .description("list, read, create, change, delete and restore items")
    .addHelpText(
      "after",
      examples(
        "platform items list",
        'platform items get "Example mail"',
        'platform items create --kind login --title "Example mail" username=ada --generate',
        'platform items edit "Example mail" password=?',
        'platform items copy "Example mail" one_time_code',
      ),
    );
  const itemVersion = [
    "--version <number>",
    "the version that you saw; default: the current one",
    wholeNumber(1),
  ] as const;
  const generate = ["--generate", "generate a password"] as const;
  const generateIn = () =>
    new Option("--generate-in <field>", "generate a password in another field").implies({ generate: true });
  const allowEmpty = ["--allow-empty", "store what is read for a field also if it is empty"] as const;
  const length = ["--length <number>", "the length of the generated password; default: 20", passwordLength] as const;
  const fields = `
${bold("Fields:")}
  name=value      the value, which other programs and the history of the shell can see
  name=-          the value from standard input, without its last line break unless it is a note, a key or a certificate
  name=?          asks for the value, and does not show it
  name=path       reads a file, for fields of the type file
  name:type=value with another type: ${fieldTypes.join(", ")}
  name[2]=value   the second of several fields with the name; if there is only one field with it, adds another`;
  items
    .command("list")
    .description("list the items of a vault; titles are shown while they are unlocked")
    .option(...vaultOption)
    .option("--deleted", "list the deleted items")
    .option("--search <text>", "only items with a text in their title, their tags, or a value that is no secret")
    .addHelpText("after", examples("platform items list --vault Work", "platform items list --search mail --json"))
    .action((options) => listItems(terminal, options));
  items
    .command("get")
    .description("show an item, or the value of one field")
    .argument(...itemArgument)
    .option(...vaultOption)
    .option("--field <name>", "print only the value of a field: the code of a one-time secret, the bytes of a file")
    .option("--no-newline", "print the value of a field without a line break at its end")
    .option("--reveal", "show secrets, which --json masks on a terminal only")
    .option(...older)
    .addHelpText(
      "after",
      examples(
        'platform items get "Example mail"',
        'platform items get "Example mail" --field password | wc -c',
        "platform items get Greeting --field file > hello.txt",
      ),
    )
    .action((item, options) => getItem(terminal, item, options));
  items
    .command("create")
    .description("create an item")
    .argument("[field...]", "fields, as name=value")
    .addOption(new Option("--kind <kind>", "the kind; default: login").choices(newKinds))
    .option("--title <title>", "the title")
    .option("--tags <tags>", "tags, with commas between them", list)
    .option(...generate)
    .addOption(generateIn())
    .option(...length)
    .option(...allowEmpty)
    .option(...vaultOption)
    .addHelpText("after", fields)
    .addHelpText(
      "after",
      examples(
        'platform items create --title "Example mail" username=ada website=mail.example.com --generate',
        "pass show api | platform items create --kind api_key --title API key=-",
      ),
    )
    .action((words, options) => createItem(terminal, words, options));
  items
    .command("edit")
    .description("change fields of an item, its title or its tags")
    .argument(...itemArgument)
    .argument("[field...]", "fields, as name=value")
    .option("--title <title>", "the new title")
    .option("--tags <tags>", "the new tags, with commas between them", list)
    .option("--remove <field>", "remove a field; can be repeated", collect)
    .option(...older)
    .option(...generate)
    .addOption(generateIn())
    .option(...length)
    .option(...allowEmpty)
    .option(...vaultOption)
    .option(...itemVersion)
    .addHelpText("after", fields)
    .addHelpText(
      "after",
      examples(
        'platform items edit "Example mail" password=?',
        'platform items edit "Example mail" --generate --remove pin',
      ),
    )
    .action((item, words, options) => editItem(terminal, item, words, options));
  items
    .command("copy")
    .description("copy a field to the clipboard, which is cleared after 30 s")
    .argument(...itemArgument)
    .argument("[field]", "the name of the field; default: the password, otherwise the first secret")
    .option(...vaultOption)
    .option(...older)
    .addHelpText(
      "after",
      examples('platform items copy "Example mail"', 'platform items copy "Example mail" one_time_code'),
    )
    .action((item, field, options) => copyItem(terminal, item, field, options));
  items
    .command("delete")
    .description("delete an item")
    .argument(...itemArgument)
    .option(...vaultOption)
    .option(...itemVersion)
    .addHelpText("after", examples('platform items delete "Example mail"'))
    .action((item, options) => deleteItem(terminal, item, options));
  items
    .command("restore")
    .description("restore a deleted item")
    .argument(...itemArgument)
    .option(...vaultOption)
    .option(...itemVersion)
    .addHelpText("after", examples('platform items restore "Example mail"'))
    .action((item, options) => restoreItem(terminal, item, options));
}

/** Runs the program. Resolves with the exit code. */
export async function run(output: Terminal, words: readonly string[], ofTeam = false): Promise<number> {
  const terminal = escaping(output);
  // What follows belongs to another command.
  const end = words.indexOf("--");
  const json = words.slice(0, end === -1 ? undefined : end).includes("--json");
  let code: number = exitCode.done;
  const printError = (error: Omit<Explanation, "code">) => terminal.err(`${asJson("platform", { error })}\n`);
  try {
    const onExitCode = (given: number) => {
      code = given;
    };
    await createProgram(terminal, json, ofTeam, onExitCode).parseAsync(words, { from: "user" });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return exitCode.done;
      if (json) printError({ message: withoutValue(thrown.message.replace(/^error: /, "")) });
      return exitCode.usage;
    }
    const { code, ...error } = explain(thrown);
    const ended = code === exitCode.canceled || terminal.signal.aborted;
    if (json) printError(error);
    else terminal.err(ended ? "\nCanceled.\n" : `${error.message}\n`);
    return ended ? exitCode.canceled : code;
  }
}

/** Returns an error about an option without its value, which may be a secret: `--password=…`. */
function withoutValue(message: string): string {
  return message.replace(/'(--[^=']+)=.*'/s, "'$1'");
}
