/**
 * The module node:http. An `import` would read all of its exports, and reading `http.WebSocket` loads undici, which takes a
 * third as long as the server's start.
 */
export const nodeHttp = process.getBuiltinModule("node:http");
