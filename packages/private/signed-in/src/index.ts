export { type MemberVault, MemberVaultService } from "@platform-rpc/types-internal/accounts";
export { type BrokerSession, openBrokerSession } from "./broker-session.js";
export { acceptedUrl, findBrokerTokens, findIssuer, findPages, parseUrl, request } from "./discovery.js";
export {
  isSystemError,
  MemoryError,
  ProgramError,
  type ProgramErrorKind,
  platformErrorOf,
  printableLines,
  programErrorOf,
} from "./errors.js";
export { configFolder, readSecretFile, removeSecretFile, writeSecretFile } from "./private-files.js";
export {
  logIn,
  type OpenSessionOptions,
  openSession,
  type ProgramLoginOptions,
  userAgentOf,
  version,
} from "./session.js";
export { openSessionStore } from "./session-store.js";
export { readTokenClaims } from "./token-claims.js";
export {
  removeExpired,
  removeUnlocked,
  type SigningKey,
  signingKey,
  unlockedVersion,
  writeUnlocked,
} from "./unlocked-file.js";
export { type OpenedContent, readUnlocked, type UnlockedVaults, type WrittenContent } from "./unlocked-vaults.js";
export { prepareHeadCheck } from "./vault-heads.js";
export {
  type Clients,
  chooseVault,
  createClients,
  createMemberClient,
  currentItem,
  deleteItem,
  type ItemChange,
  type ItemPlace,
  itemsOf,
  listVaults,
  type ProgramClients,
  putItem,
  restoreItem,
  summaryOf,
} from "./vaults.js";
