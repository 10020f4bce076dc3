import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

// The installed programs, run by this Node as their users run them: by name.
const { FIXTURE = "{}", PATH = "" } = process.env;
const { baseUrl }: { readonly baseUrl: string } = JSON.parse(FIXTURE);
const env = {
  PATH: [resolve("node_modules/.bin"), dirname(process.execPath), PATH].join(delimiter),
  PLATFORM_URL: baseUrl,
  PLATFORM_CONFIG_DIR: resolve("config"),
};

async function platform(...words: readonly string[]) {
  const child = spawn("platform", words, { env, stdio: ["ignore", "pipe", "inherit"] });
  const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { code: child.exitCode, out };
}

const help = await platform("--help");
assert(help.code === 0 && help.out.includes("Usage: platform"), "platform prints its help");

// Nobody is signed in. Everything else is right.
const { code, out } = await platform("doctor", "--json");
const checks: readonly { readonly name: string; readonly ok: boolean }[] = out
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const found = checks.map(({ name, ok }) => `${name} ${ok}`).join(", ");
const expected = "url true, tls true, server true, accounts true, session false";
assert(code === 1 && found === expected, `platform doctor finds ${expected}, not ${found}`);

const server = spawn("platform-mcp", { env, stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();

/** Sends a request over stdio, and returns the result. */
async function request(id: number, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const answer = JSON.parse((await lines.next()).value ?? "{}");
  assert(answer.id === id && answer.result !== undefined, `a result of ${method}: ${JSON.stringify(answer)}`);
  return answer.result;
}

const clientInfo = { name: "rehearsal", version: "1.0.0" };
const protocolVersion = "2025-06-18";
const { protocolVersion: agreed } = await request(1, "initialize", { protocolVersion, clientInfo, capabilities: {} });
assert(agreed === protocolVersion, "the MCP server accepts the revision of the client");
server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
const { tools } = await request(2, "tools/list", {});
assert(JSON.stringify(tools).includes('"name":"delete_item"'), "the MCP server lists its tools");
server.stdin.end();
const [ended] = await once(server, "exit");
assert(ended === 0, "the MCP server ends when its client does");
console.log("programs: passed");

function assert(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`Expected: ${expectation}.`);
}
