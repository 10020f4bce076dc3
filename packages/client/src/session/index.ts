export type { WebCryptoKey, WebCryptoKeyPair } from "../crypto/web-crypto.js";
export type { DeviceAuthorizationStatus } from "../device/device-session.js";
export type { AccessToken, TokenRequest } from "../token/access-token.js";
export type { AuthorizationServerOptions } from "./authorization-server.js";
export { createDeviceSession } from "./create-device-session.js";
export type {
  CurrentToken,
  DeviceSessionEvent,
  LoginOptions,
  LoginPrompt,
  RenewableSession,
} from "./renewable-session.js";
export type { DeviceSessionOptions } from "./session-options.js";
export { createMemorySessionStore, type SessionStore, type StoredSession } from "./session-store.js";
