export type { WebCryptoKey, WebCryptoKeyPair } from "../crypto/web-crypto.js";
export type { DeviceAuthorizationStatus } from "../device/device-session.js";
export type { AccessToken, TokenRequest } from "../token/access-token.js";
export type { AuthorizationServerOptions } from "./authorization-server.js";
export {
  type CurrentToken,
  createDeviceSession,
  type DeviceSessionEvent,
  type DeviceSessionOptions,
  type LoginOptions,
  type LoginPrompt,
  type RenewableSession,
} from "./create-device-session.js";
export { createMemorySessionStore, type SessionStore, type StoredSession } from "./session-store.js";
