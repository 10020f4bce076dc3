export { listen } from "./bound-socket.js";
export type { Connection, ConnectionExchange, Rejection } from "./connection.js";
export type { Connections } from "./connections.js";
export { createFront, type Front, type FrontOptions } from "./front.js";
export {
  createHandlerListener,
  type HandlerListener,
  type HandlerListenerOptions,
  type RejectedPath,
} from "./handler-listener.js";
export { nodeHttp } from "./http-server.js";
export type { RawAnswer } from "./last-response.js";
export { closeWritingSide } from "./last-response.js";
export type { ConnectionLimits } from "./limits.js";
export { networkOf } from "./network.js";
export type { Trust } from "./places.js";
export { createUnreadResponses } from "./unread-responses.js";
