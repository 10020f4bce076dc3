import { version } from "@platform-rpc/signed-in";
import { type Command, Option } from "commander";
import { clientId } from "../session/connect.js";
import {
  collect,
  collectHost,
  portNumber,
  publicUrl,
  timeUpTo,
  unlockedMs,
  unlockTime,
  wholeNumber,
} from "../terminal/arguments.js";
import { bold, examples } from "../terminal/help.js";
import type { Terminal } from "../terminal/terminal.js";
import { broker } from "./broker.js";
import { brokerToken } from "./broker-token.js";

/** What the help of `platform-broker` says. */
const ofTeam =
  "Lets the agents of a team use secrets that they do not see. Waits until somebody signs in and unlocks with the program platform, in the same folder PLATFORM_CONFIG_DIR.";
const exampleOfTeam = "BROKER_PUBLIC_URL=https://broker.example.com BROKER_METRICS_PORT=8091 platform-broker";

/** What a manifest sets for a team can also be a variable of the environment. */
export function addBroker(program: Command, terminal: Terminal, isOfTeam: boolean): void {
  const command = program.command("broker");
  // All its words follow the word broker, which nobody types.
  const styleUsage = (usage: string) => usage.replace("platform broker", "platform-broker");
  if (isOfTeam) command.version(version).configureHelp({ styleTitle: bold, styleUsage });
  const lines = isOfTeam ? [exampleOfTeam] : ["platform broker", "platform broker --for 12h --port 8091"];
  command
    .description(isOfTeam ? ofTeam : "let agents use the secrets of your items without seeing them, until Ctrl+C")
    .addOption(
      new Option("--port <port>", "the port to listen on").default(8090).argParser(portNumber).env("BROKER_PORT"),
    )
    .addOption(new Option("--host <host>", "the address to listen on").default("127.0.0.1").env("BROKER_HOST"))
    .addOption(
      new Option("--public-url <url>", "the URL at which agents reach it, if it is behind a proxy or at 0.0.0.0")
        .argParser(publicUrl)
        .env("BROKER_PUBLIC_URL"),
    )
    .option("--allow-loopback-http", "also send to programs on this computer, over plain http")
    .addOption(
      new Option("--for <time>", "how long to unlock, if it is locked")
        .default(unlockedMs, "15m")
        .argParser(unlockTime)
        .hideHelp(isOfTeam),
    )
    .addOption(new Option("--wait", "wait until somebody signs in and unlocks in another terminal").hideHelp(isOfTeam))
    .addOption(
      new Option("--metrics-port <port>", "serve /healthz, /readyz and /metrics at this port")
        .argParser(portNumber)
        .env("BROKER_METRICS_PORT"),
    )
    .addHelpText("after", examples(...lines))
    .addHelpText(
      "after",
      `
It sends a request for http://127.0.0.1:8090/{host}/{path} to https://{host}/{path}, with the secret of the item whose
website has that host. Agents need a broker token with the scope vault.items:use. Each use is counted, and is listed in
Activity.`,
    )
    .action((options) => broker(terminal, options))
    .helpCommand(true)
    .command("token", { hidden: isOfTeam })
    .description(
      "print a broker token for a library without DPoP; asks you once, then renews it while the approval lasts",
    )
    .option("--url <url>", "the URL of the API; default: as for platform login")
    .option("--client-id <id>", "the OAuth client of the agent, if an administrator has registered one", clientId)
    .option("--vault <id>", "ask for the items of a vault, by its id; can be repeated; default: all vaults", collect)
    .option("--host <host>", "ask for uses at a host; can be repeated; default: the hosts of the items", collectHost)
    .option("--max-uses <number>", "how many uses to ask for; default: 50", wholeNumber(1))
    .option("--for <time>", "how long to ask for: 1m to 30d; default: 1d", timeUpTo(30))
    .option("--ask", "ask again, for example for more uses, also if an approval lasts")
    .addHelpText(
      "after",
      examples(
        "export OPENAI_API_KEY=$(platform broker token --host api.openai.com)",
        "platform broker token --client-id ci-agent --max-uses 500 --for 7d",
      ),
    )
    .action((options) => brokerToken(terminal, options));
}
