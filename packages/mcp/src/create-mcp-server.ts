import {
  createRequestStateCodec,
  McpServer,
  type McpServerFactory,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { version } from "@platform-rpc/signed-in";
import type { Platform } from "./sign-in/platform.js";
import { createDeleteItem, type Question } from "./tools/delete-item.js";
import { listItems } from "./tools/list-items.js";
import { requireSession } from "./tools/require-session.js";
import { restoreItem } from "./tools/restore-item.js";
import { elicitationOf, errorResult, type ToolAnswer, type ToolCall } from "./tools/tool-call.js";

export interface McpServerOptions {
  /** Connects to the platform. Called by each call of a tool. */
  readonly connect: () => Promise<Platform>;
  /** Resolves when a call has waited long enough for a person who approves in a browser. */
  readonly approvalWait: (signal: AbortSignal) => Promise<void>;
}

const instructions =
  "The vaults of the person who is signed in. Titles and contents of items are encrypted: identify items by id, kind and time. The person signs in and consents to deletions themselves: never ask for codes or keys.";

/** Creates the factory of servers: one for each connection over stdio, one for each request or session over HTTP. */
export function createMcpServerFactory({ connect, approvalWait }: McpServerOptions): McpServerFactory {
  // One key for all servers of the process: over HTTP, another server may get the answer.
  const codec = createRequestStateCodec<Question>({ key: crypto.getRandomValues(new Uint8Array(32)) });
  const deleteItem = createDeleteItem(codec);

  return () => {
    const server = new McpServer(
      { name: "platform", title: "Platform", version },
      { instructions, requestState: { verify: codec.verify } },
    );

    async function answer(
      context: ServerContext,
      scopes: readonly string[],
      run: (call: ToolCall) => Promise<ToolAnswer>,
      refuse: (call: Pick<ToolCall, "elicitation">) => ToolAnswer | undefined = () => undefined,
    ): Promise<ToolAnswer> {
      const elicitation = elicitationOf(server, context);
      try {
        const refused = refuse({ elicitation });
        if (refused !== undefined) return refused;
        const call = { platform: await connect(), scopes, elicitation, context, approvalWait };
        return (await requireSession(call)) ?? (await run(call));
      } catch (thrown) {
        return errorResult(thrown);
      }
    }

    server.registerTool(listItems.name, listItems.config, (input, context) =>
      answer(context, listItems.scopes, (call) => listItems.run(input, call)),
    );
    server.registerTool(restoreItem.name, restoreItem.config, (input, context) =>
      answer(context, restoreItem.scopes, (call) => restoreItem.run(input, call)),
    );
    server.registerTool(deleteItem.name, deleteItem.config, (input, context) =>
      answer(context, deleteItem.scopes, (call) => deleteItem.run(input, call), deleteItem.refuse),
    );
    return server;
  };
}
