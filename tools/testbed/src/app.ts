import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import "./local-names.ts";
import { type ProgramOptions, type RunningProgram, startProgram } from "./processes.ts";

export interface BuiltProgramOptions extends Pick<ProgramOptions, "stderr"> {
  /** A command, with arguments, that executes the program. Default: none. */
  readonly under?: readonly string[];
  /** The arguments of the program. Default: none. */
  readonly args?: readonly string[];
  /** The folder of the built programs. Default: `dist` of the app. */
  readonly folder?: string;
}

const dist = fileURLToPath(new URL("../../../apps/platform/dist/", import.meta.url));
const manifest = new URL("../../../package.json", import.meta.url);

/** Returns the Node options with which `pnpm platform`, which is also `npm start`, and `pnpm demo` start a program. */
function nodeOptionsOf(program: "main" | "demo"): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(manifest, "utf8"));
  const command: string = scripts[program === "main" ? "platform" : "demo"];
  const options = /exec node (.*)apps\/platform\/dist\//.exec(command)?.[1] ?? "";
  return options.split(" ").filter((option) => option !== "");
}

/** Starts a built program of the app, as its script does, with settings and nothing else in its environment. Default: free ports. */
export function startBuiltProgram(
  name: "main" | "demo",
  settings: Readonly<Record<string, string>>,
  { stderr = "read", under = [], args = [], folder = dist }: BuiltProgramOptions = {},
): RunningProgram {
  // The cache of compiled code that tests share: with it, a program starts in three quarters of the CPU time.
  const { NODE_COMPILE_CACHE } = process.env;
  const ports = { PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: "0", MCP_PORT: "0" };
  const command = [...under, process.execPath, ...nodeOptionsOf(name), join(folder, `${name}.js`), ...args];
  return startProgram(command, { env: { ...ports, NODE_COMPILE_CACHE, ...settings }, stderr });
}

/** The app as a process that is ready. Disposing of it kills it. */
export interface RunningApp extends RunningProgram, AsyncDisposable {
  /** The URLs of its listeners. Empty for one that it has not. */
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** What programs call. */
  readonly accountsUrl: string;
  /** The origin of the pages. */
  readonly pagesUrl: string;
  /** With its path. */
  readonly mcpUrl: string;
  curlLines(): readonly string[];
}

/** Waits until the app is ready. It prints its last line then. @throws Error with its output when it ends before. */
export async function whenReady(program: RunningProgram): Promise<RunningApp> {
  await program.printed("Ctrl+C");
  const url = (listener: string) => new RegExp(`^ {2}${listener} +(\\S+)`, "m").exec(program.out())?.[1] ?? "";
  return Object.assign(program, {
    publicUrl: url("public"),
    internalUrl: url("internal"),
    accountsUrl: url("accounts"),
    pagesUrl: /pages: ([^,]+)/.exec(program.out())?.[1] ?? url("accounts"),
    mcpUrl: url("mcp"),
    curlLines: () =>
      program
        .out()
        .split("\n")
        .filter((line) => line.startsWith("curl")),
    [Symbol.asyncDispose]: async () => void (await program.stop("SIGKILL")),
  });
}

export function startApp(
  settings: Readonly<Record<string, string>>,
  options?: BuiltProgramOptions,
): Promise<RunningApp> {
  return whenReady(startBuiltProgram("main", settings, options));
}

/** Returns a function that calls a private operation of an app, such as `VaultAdminService/PutItem`, and throws when the call fails. */
export function adminOf(internalUrl: string, adminTokenFile: string) {
  return async (operation: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${internalUrl}/platform.internal.v1.${operation}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${readFileSync(adminTokenFile, "utf8").trim()}`,
        "Content-Type": "application/json",
        "Connect-Protocol-Version": "1",
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operation} failed with ${response.status}: ${text}`);
    const answer: Readonly<Record<string, unknown>> = JSON.parse(text);
    return answer;
  };
}
