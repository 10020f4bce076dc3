import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const program = fileURLToPath(new URL("../../../packages/mcp/dist/main.js", import.meta.url));

/** What a person does for their agent. */
export interface Person {
  /** Opens an address that the MCP server asks to open. */
  open(url: string): Promise<void>;
  /** Sees a question of the MCP server. The answer is yes. */
  isAsked(question: string): Promise<void>;
}

/** An agent that uses the platform by its MCP server. */
export interface Agent extends AsyncDisposable {
  /** Calls a tool. Resolves with its result as text. */
  use(
    tool: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly failed: boolean; readonly text: string }>;
}

export async function startAgent(env: Record<string, string>, person: Person): Promise<Agent> {
  const client = new Client(
    { name: "agent", version: "1.0.0" },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    if (params.mode === "url") {
      await person.open(params.url);
      return { action: "accept" };
    }
    await person.isAsked(params.message);
    return { action: "accept", content: { delete: true } };
  });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "ignore" }));
  return {
    async use(name, input) {
      const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
      return { failed: isError, text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
