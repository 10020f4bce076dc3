export { toolScopes } from "../create-mcp-server.js";
export { createMcpHandler, type McpHandler, type McpHandlerOptions, type TokenCaller } from "./mcp-handler.js";
