import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type { Elicitation } from "./elicitation.js";
import type { Platform } from "./platform.js";

/** A call of a tool. */
export interface ToolCall {
  readonly platform: Platform;
  /** The scopes that the tool needs. */
  readonly scopes: readonly string[];
  readonly elicitation: Elicitation;
  readonly context: ServerContext;
  /** Resolves when a call has waited long enough for a person who approves in a browser. */
  readonly approvalWait: (signal: AbortSignal) => Promise<void>;
}

/** What a tool answers: a result, or a question to the person. */
export type ToolAnswer = CallToolResult | InputRequiredResult;
