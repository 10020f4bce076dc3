import { homedir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { acceptedUrl, configFolder, ProgramError, parseUrl, printableLines, version } from "@platform-rpc/signed-in";
import { createBroker } from "./broker/broker.js";
import { createLocalCaller } from "./sign-in/local-caller.js";
import { createPlatform } from "./sign-in/platform.js";
import { createMcpServerFactory } from "./tools/create-mcp-server.js";

const help = `platform-mcp: an MCP server for the platform

Usage: platform-mcp

  --version  prints the version
  --help     prints this text

Environment:
  PLATFORM_URL         the URL of the API; required
  PLATFORM_BROKER_URL  the URL of the broker; default: http://127.0.0.1:8090
  PLATFORM_CONFIG_DIR  the folder of the session; default: platform in XDG_CONFIG_HOME or ~/.config

Exit codes:
  0 done   1 failed   2 wrong command line or environment
`;

/** Shorter than the minute after which MCP clients give up by default. */
const waitMs = 45_000;

/** Where the program writes. While it serves, standard output belongs to the protocol. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts the program. Resolves with the exit code of a failed start; undefined while it serves, and after printing. */
export async function run(
  words: readonly string[],
  environment: Environment,
  { out, err }: Output,
): Promise<number | undefined> {
  const notify = (text: string) => err(`${printableLines(text)}\n`);
  try {
    const { values } = parseWords(words);
    if (values.help) return void out(help);
    if (values.version) return void out(`${version}\n`);
    const ended = new AbortController();
    const folder = configFolder(environment, homedir());
    const url = brokerUrlOf(environment);
    const connect = createPlatform({ apiUrl: apiUrlOf(environment), folder, notify, signal: ended.signal });
    const broker = createBroker({ url, openSession: async () => (await connect()).openBrokerSession() });
    const caller = createLocalCaller({ connect, approvalWait, broker });
    const stateKey = crypto.getRandomValues(new Uint8Array(32));
    const factory = createMcpServerFactory({ callerOf: () => caller, stateKey });
    serveStdio(factory, { onerror: (error) => notify(connectionError(error)) });
    // The client has ended. Without this, a login would wait for its approval for minutes.
    process.stdin.once("end", () => ended.abort());
    return;
  } catch (thrown) {
    if (!(thrown instanceof ProgramError)) throw thrown;
    notify(thrown.message);
    return thrown.kind === "usage" ? 2 : 1;
  }
}

/** Resolves when a call has waited long enough for a person who approves in a browser, or at the signal. */
function approvalWait(signal: AbortSignal): Promise<void> {
  return setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
}

/** Returns what to log of an error of the connection. The error of an invalid message has pages of details. */
function connectionError({ name, message }: Error): string {
  if (name === "ZodError") return "A message was ignored: it is not valid JSON-RPC 2.0. Report this to the MCP client.";
  return `The connection to the MCP client failed: ${message}`;
}

function parseWords(words: readonly string[]) {
  try {
    const options = { version: { type: "boolean" }, help: { type: "boolean" } } as const;
    return parseArgs({ args: [...words], options });
  } catch (error) {
    throw new ProgramError(`${error instanceof Error ? error.message : error}\n\n${help}`, "usage");
  }
}

function brokerUrlOf({ PLATFORM_BROKER_URL = "http://127.0.0.1:8090" }: Environment): string {
  const url = parseUrl(PLATFORM_BROKER_URL);
  if (url !== undefined) return url;
  throw new ProgramError(`PLATFORM_BROKER_URL is not valid. It must be ${acceptedUrl}.`, "usage");
}

function apiUrlOf({ PLATFORM_URL }: Environment): string {
  const url = parseUrl(PLATFORM_URL);
  if (url !== undefined) return url;
  const text = PLATFORM_URL ? `is not valid. It must be ${acceptedUrl}` : "is required";
  throw new ProgramError(`PLATFORM_URL ${text}. Set it to the URL of the API.`, "usage");
}
