import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { defaultReport } from "./default-report.ts";
import { programReport } from "./program-report.ts";
import { toolReport } from "./tool-report.ts";

const folder = mkdtempSync(join(tmpdir(), "report-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a program. */
function program(name: string, source: string): string {
  const file = join(folder, name);
  writeFileSync(file, source);
  return file;
}

const help = `Usage: tool [options] [command]

Works.

Options:
  -h, --help          display help for command

Commands:
  send [options] <to> [text...]  sends
  help [command]      display help for command

Environment:
  TOOL_URL     the URL; required
  TOOL_FOLDER  the folder; default: ~/.tool

Exit codes:
  0 done   1 failed
  130 ended by Ctrl+C
`;
const sendHelp = `Usage: tool send [options] <to> [text...]

sends

Arguments:
  to                 the receiver

Options:
  --scope <scopes...>  what to ask for; default: read (choices:
                       "read", "write")
  --no-qr              show no code
  -h, --help           display help for command
`;

describe("the report of a program", () => {
  it("contains each command with its arguments, flags and defaults, the environment and the exit codes", () => {
    const main = program(
      "tool.mjs",
      `process.stdout.write(process.argv[2] === "send" ? ${JSON.stringify(sendHelp)} : ${JSON.stringify(help)});`,
    );
    expect(programReport(main)).toEqual([
      "command tool {\n    --help?: boolean also -h;\n}",
      "environment of tool {\n    TOOL_URL: string;\n    TOOL_FOLDER?: string = ~/.tool;\n}",
      "exit codes of tool {\n    0: done;\n    1: failed;\n    130: ended by Ctrl+C;\n}",
      [
        "command tool send {",
        "    to: string;",
        "    text...?: string;",
        "    --help?: boolean also -h;",
        "    --no-qr?: boolean;",
        '    --scope?: <scopes...> "read" | "write" = read;',
        "}",
      ].join("\n"),
    ]);
  });

  it("fails for a program that has no help", () => {
    expect(() => programReport(program("silent.mjs", "process.exit(4)"))).toThrow("ended with 4");
  });
});

describe("the report of an MCP server", () => {
  const tool = {
    name: "list",
    description: "Lists.",
    inputSchema: {
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 500, default: 100 },
        id: { type: "string", pattern: "^a$", maxLength: 9 },
      },
      required: ["id"],
    },
    outputSchema: { properties: { items: { type: "array", items: { properties: { id: { type: "string" } } } } } },
    annotations: { readOnlyHint: true },
  };
  const server = (tools: readonly object[]) =>
    `for await (const line of (await import("node:readline")).createInterface(process.stdin))
       if (JSON.parse(line).id) console.log(JSON.stringify({ id: JSON.parse(line).id, result: { tools: ${JSON.stringify(tools)} } }));`;

  it("contains the parameters of each tool with their defaults and bounds, its result and its annotations", () => {
    expect(toolReport(program("server.mjs", server([tool])))).toEqual([
      "tool list {\n    id: string /^a$/;\n    limit?: integer = 100;\n}",
      "result of list {\n    items?: {\n        id?: string;\n    }[];\n}",
      "const list.limit.minimum = 1;",
      "const list.limit.maximum = 500;",
      "const list.id.maxLength = 9;",
      "const list.readOnlyHint = true;",
    ]);
  });

  it("fails for a server that does not list its tools", () => {
    expect(() => toolReport(program("mute.mjs", ""))).toThrow("did not list its tools");
  });
});

describe("the report of defaults", () => {
  it("contains what a call of the client waits and tries", async () => {
    expect(await defaultReport("@platform-rpc/client")).toEqual([
      "const timeoutMs = 15000;",
      "const retry.maxAttempts = 4;",
      "const retry.attemptTimeoutMs = 30000;",
    ]);
  });

  it("contains the limits of the server, such as how long a connection is kept", async () => {
    expect(await defaultReport("@platform-rpc/server")).toContain("const defaultLimits.keepAliveMs = 65000;");
  });
});
