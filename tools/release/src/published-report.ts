import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createPlatformClient } from "@platform-rpc/client/json";
import { defaultLimits } from "@platform-rpc/server/host";
import { apiReport } from "./api-report.ts";
import type { WorkspacePackage } from "./workspace.ts";

/**
 * Returns everything that callers of a package rely on, as text: its TypeScript API, its programs, the tools of its MCP server, and its
 * defaults. Needs the built package.
 *
 * @throws Error when the package is not built, or something in it cannot be read.
 */
export async function publishedReport(published: WorkspacePackage): Promise<string> {
  const { folder, manifest } = published;
  const programs = Object.entries(manifest.bin ?? {}).map(([name, file]) => {
    const main = join(folder, file);
    return section(name, [...commandReports(main), ...(name.endsWith("-mcp") ? toolReports(main) : [])]);
  });
  const defaults = Object.entries(await defaultsOf(manifest.name)).map(([name, value]) => `const ${name} = ${value};`);
  return [apiReport(published), ...programs, section("defaults", defaults)].filter(Boolean).join("\n");
}

function section(heading: string, declarations: readonly string[]): string {
  return declarations.length === 0 ? "" : `## ${heading}\n\n\`\`\`text\n${declarations.join("\n\n")}\n\`\`\`\n`;
}

/** Returns the defaults that callers notice and that no signature shows. */
async function defaultsOf(name: string): Promise<Readonly<Record<string, number>>> {
  if (name.endsWith("/client")) return clientDefaults();
  if (name.endsWith("/server"))
    return Object.fromEntries(Object.entries(defaultLimits).map(([key, value]) => [`defaultLimits.${key}`, value]));
  return {};
}

/** Calls a server that never responds, on a clock that stands still. */
async function clientDefaults() {
  const silent = () => {};
  const timeouts: number[] = [];
  const { vault } = createPlatformClient({
    baseUrl: "https://api.example.com",
    token: "none",
    clock: { now: () => 0, sleep: async () => {}, after: () => silent },
    logger: { debug: silent, info: silent, warn: silent },
    async fetch(_url, { headers }) {
      timeouts.push(Number(headers["connect-timeout-ms"]));
      throw new TypeError("no response");
    },
  });
  const item = { vaultId: "v", itemId: "i", baseVersion: 1 };
  await vault.deleteItem(item).catch(silent);
  const [timeoutMs = Number.NaN, ...retries] = timeouts.splice(0);
  await vault.deleteItem(item, { timeoutMs: Number.POSITIVE_INFINITY }).catch(silent);
  const [attemptTimeoutMs = Number.NaN] = timeouts;
  return { timeoutMs, "retry.maxAttempts": 1 + retries.length, "retry.attemptTimeoutMs": attemptTimeoutMs };
}

/**
 * Returns what callers of a program rely on, read from its help: a declaration for each command, with its options, variables, exit codes
 * and the keys of its JSON.
 * Descriptions are left out, because their wording may change.
 *
 * @param main the built file of the program.
 * @param words the command. Default: the program itself.
 */
function commandReports(main: string, words: readonly string[] = []): readonly string[] {
  const help = outputOf(main, [...words, "--help"]).replaceAll(/\n {6,}/g, " ");
  const usage = /^Usage: (.*)$/m.exec(help)?.[1]?.replaceAll(/ \[(?:options|command)\]/g, "");
  const sectionOf = (heading: string) => new RegExp(`^${heading}:\n((?: .*\n)+)`, "m").exec(help)?.[1] ?? "";
  const rows = help.matchAll(/^ {2}(?:(-\w), )?(--\S+|[A-Z_]+)(?: (\S+))?(?: {2,}(.*))?$/gm);
  const options = [...rows].map(([, short, name, value, text]) =>
    memberOf(name, value, text, short && `also ${short}`),
  );
  const exitCodes = sectionOf("Exit codes").match(/\d+ \S.*?(?= {2,}|$)/gm) ?? [];
  const keys = (sectionOf("Keys of --json").match(/\w+/g) ?? []).map((key) => `${key}?: printed by --json`);
  const commands = [...sectionOf("Commands").matchAll(/^ {2}(?!help )(\S+)/gm)].map(([, command = ""]) => command);
  return [
    declaration(`command ${usage}`, [...options, ...keys, ...exitCodes]),
    ...commands.flatMap((command) => commandReports(main, [...words, command])),
  ];
}

/** Returns an option or a variable: `--url?: <url>, default: http://127.0.0.1`. Of its description, only what callers rely on is left. */
function memberOf(name = "", value = "", description = "", alias = ""): string {
  const promised = /default: [^()]*(?:\(choices: .*)?|\(choices: .*/.exec(description)?.[0];
  const mark = /\brequired$/.test(description) ? "" : "?";
  return `${name}${mark}: ${[value, promised, alias].filter(Boolean).join(", ")}`.trimEnd();
}

interface Tool {
  readonly name: string;
  readonly inputSchema: object;
}

/**
 * Returns what callers of an MCP server rely on, read from its answer to `tools/list`: a declaration for each tool, and a constant for each
 * bound of a parameter, because a wider bound is an addition.
 */
function toolReports(main: string): readonly string[] {
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "api-report", version: "1" } };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: client },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
  ];
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  const [, answer = "{}"] = outputOf(main, [], input).split("\n");
  const { result }: { result: { tools: readonly Tool[] } } = JSON.parse(answer);
  return result.tools.flatMap(({ name, inputSchema, ...tool }) => {
    // All required parameters are one line, so that one more changes it.
    const values = valuesIn({ ...tool, inputSchema: { required: [], ...inputSchema } });
    const [bounds, others] = [values.filter(isBound), values.filter((line) => !isBound(line))];
    return [declaration(`tool ${name}`, others), ...bounds.map((line) => `const ${name}.${line};`)];
  });
}

const isBound = (line: string) => /\.(?:min|max)(?:imum|Length) = /.test(line);

/** Returns each value of a document with its path, except titles and descriptions. */
function valuesIn(document: object, path = ""): readonly string[] {
  return Object.entries(document).flatMap(([key, value]: [string, unknown]) => {
    if (Array.isArray(value) && key === "required" && path.startsWith("outputSchema."))
      // Unlike a parameter, one more required result is an addition.
      return value.map((each) => `${path}required includes ${each}`);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return valuesIn(value, `${path}${key}.`);
    return key === "title" || key === "description" ? [] : [`${path}${key} = ${JSON.stringify(value)}`];
  });
}

/** @throws Error when the program fails */
function outputOf(main: string, args: readonly string[], input = ""): string {
  const { PATH } = process.env;
  // The MCP server needs the URL, and connects to it when a tool is called.
  const env = { PATH, PLATFORM_URL: "https://api.example.com" };
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8", env, input });
  if (status !== 0)
    throw new Error(`${main} ${args.join(" ")} ended with ${status}. Build the package first.\n${stderr}`);
  return stdout;
}

function declaration(signature: string, lines: readonly string[]): string {
  return [signature, ...[...lines].sort().map((line) => `    ${line}`)].join("\n");
}
