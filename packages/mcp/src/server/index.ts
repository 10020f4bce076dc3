export { toolScopes } from "../tools/create-mcp-server.js";
export type { ConsentPage, Deletion } from "../tools/tool-call.js";
export { createMcpHandler, type McpHandler, type McpHandlerOptions, type TokenCaller } from "./mcp-handler.js";
