import type { CallToolResult } from "@modelcontextprotocol/server";
import { isSystemError, platformErrorOf, programErrorOf } from "@platform-rpc/program";

/** Returns a result for the assistant, also as text for clients that read only that. */
export function resultOf(content: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: { ...content } };
}

/** Returns a result that says why nothing was done. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Returns the result of a call that failed: the reason, what to do, and the id of the request. */
export function errorResult(thrown: unknown): CallToolResult {
  const local = isSystemError(thrown) ? thrown : programErrorOf(thrown);
  if (local !== undefined) return refusal(local.message);
  const error = platformErrorOf(thrown);
  if (error === undefined) return refusal("The MCP server failed. This is a bug of the server. Please report it.");
  const { message, reason, requestId } = error;
  const again = reason === "UNAUTHENTICATED" ? "\nCall the tool again to sign in." : "";
  return refusal(`${message}${again}\nReason: ${reason}\nRequest id: ${requestId}`);
}
