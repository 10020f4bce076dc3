import type { CallToolResult } from "@modelcontextprotocol/server";
import { isPlatformError, type PlatformError } from "@platform-rpc/client";
import { isSystemError, platformErrorOf, printableLines, programErrorOf } from "@platform-rpc/program";

/** Returns a result for the assistant, also as text for clients that read only that. */
export function resultOf(content: Readonly<Record<string, unknown>>): CallToolResult {
  return {
    content: [{ type: "text", text: printableLines(JSON.stringify(content)) }],
    structuredContent: { ...content },
  };
}

/** Returns a result that says why the tool has no other result. A person may read it: control characters and marks of direction are escaped. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: "text", text: printableLines(text) }], isError: true };
}

/** Returns the result of a call that failed: the reason, what to do, and the id of the request. */
export function errorResult(thrown: unknown): CallToolResult {
  const local = isSystemError(thrown) ? thrown : programErrorOf(thrown);
  if (local !== undefined) return refusal(local.message);
  const error = platformErrorOf(thrown);
  if (error === undefined) return refusal("The MCP server failed. This is a bug of the server. Please report it.");
  const { message, reason, requestId } = error;
  return refusal(`${message}${adviceOf(error)}\nReason: ${reason}\nRequest id: ${requestId}`);
}

function adviceOf(error: PlatformError): string {
  if (error.reason === "UNAUTHENTICATED") return "\nCall the tool again to sign in.";
  return isPlatformError(error, "VERSION_CONFLICT") ? `\nThe current version is ${error.detail.currentVersion}.` : "";
}
