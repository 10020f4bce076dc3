export const mcpPath = "/mcp";

/** Returns the URL of the MCP endpoint at an origin. People give it to their clients, and it is the `aud` of the tokens for it. */
export function mcpUrlAt(origin: string): string {
  return origin + mcpPath;
}
