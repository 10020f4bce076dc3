export { type MemberVault, MemberVaultService } from "@platform-rpc/types-internal/accounts";
export { acceptedUrl, findIssuer, parseUrl, request } from "./discovery.js";
export {
  isSystemError,
  ProgramError,
  type ProgramErrorKind,
  platformErrorOf,
  printableLines,
  programErrorOf,
} from "./errors.js";
export { configFolder, prepareFolder } from "./private-files.js";
export { readSecretFile, removeSecretFile, writeSecretFile } from "./secret-files.js";
export {
  logIn,
  type OpenSessionOptions,
  openSession,
  openSessionStore,
  type ProgramLoginOptions,
  userAgentOf,
} from "./session.js";
export {
  type Clients,
  chooseVault,
  createClients,
  createMemberClient,
  currentItem,
  type ItemPlace,
  itemsOf,
  listVaults,
  type ProgramClients,
  restoreItem,
  summaryOf,
} from "./vaults.js";
export { version } from "./version.js";
