import { spawnSync } from "node:child_process";

/** The part of JSON Schema that tools use. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/**
 * Returns what callers of an MCP server rely on, read from its answer to `tools/list`: the parameters of each tool with their defaults,
 * its result, its annotations, and each bound as a constant, so that a bound can be compared by its strength.
 *
 * @param main the built file of the server, which speaks over stdio.
 */
export function toolReport(main: string): readonly string[] {
  return [...listTools(main)].sort((one, other) => (one.name < other.name ? -1 : 1)).flatMap(describe);
}

function listTools(main: string): readonly Tool[] {
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "api-report", version: "1" } };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: client },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
  ];
  const { PATH } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, [main], {
    encoding: "utf8",
    input: messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
    // It connects when a tool is called.
    env: { PATH, PLATFORM_URL: "https://api.example.com" },
  });
  const answers: readonly { readonly id?: number; readonly result?: { readonly tools?: readonly Tool[] } }[] = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const tools = answers.find(({ id }) => id === 2)?.result?.tools;
  if (tools === undefined) throw new Error(`${main} did not list its tools. Build the package first.\n${stderr}`);
  return tools;
}

function describe({ name, inputSchema, outputSchema, annotations = {} }: Tool): readonly string[] {
  return [
    `tool ${name} ${typeOf(inputSchema)}`,
    ...(outputSchema === undefined ? [] : [`result of ${name} ${typeOf(outputSchema)}`]),
    ...Object.entries(inputSchema.properties ?? {}).flatMap(([property, { minimum, maximum, minLength, maxLength }]) =>
      constants(`${name}.${property}`, { minimum, maximum, minLength, maxLength }),
    ),
    ...constants(name, annotations),
  ];
}

function constants(owner: string, values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`const ${owner}.${name} = ${value};`],
  );
}

function typeOf(schema: Schema, indent = ""): string {
  const { type = "unknown", items, properties, required = [], pattern } = schema;
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (items !== undefined) return `${typeOf(items, indent)}[]`;
  if (properties === undefined) return pattern === undefined ? type : `${type} /${pattern}/`;
  const lines = Object.entries(properties)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, property]) => {
      const byDefault = property.default === undefined ? "" : ` = ${JSON.stringify(property.default)}`;
      const mark = required.includes(name) ? "" : "?";
      return `${indent}    ${name}${mark}: ${typeOf(property, `${indent}    `)}${byDefault};`;
    });
  return ["{", ...lines, `${indent}}`].join("\n");
}
