export type { WebCryptoKey, WebCryptoKeyPair } from "../crypto/web-crypto.js";
export type { DeviceAuthorizationStatus } from "../device/device-session.js";
export type { AccessToken, TokenRequest } from "../options/token.js";
export type { AuthorizationServerOptions } from "./authorization-server.js";
export { createDeviceSession } from "./create-device-session.js";
export type {
  CurrentToken,
  DeviceLoginOptions,
  DeviceLoginPrompt,
  RenewableSession,
  SessionEvent,
} from "./renewable-session.js";
export type { SessionBounds } from "./session-bounds.js";
export type { SessionOptions } from "./session-options.js";
export { createMemorySessionStore, type SessionStore, type StoredSession } from "./session-store.js";
