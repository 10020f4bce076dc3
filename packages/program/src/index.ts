export { MemberVaultService } from "@platform-rpc/types-internal/accounts";
export { type Clients, createClients } from "./clients.js";
export { configFolder } from "./config-folder.js";
export { findIssuer } from "./find-issuer.js";
export { currentItem, type ItemPlace, itemsOf, restoreItem, summaryOf } from "./items.js";
export { platformErrorOf } from "./platform-error-of.js";
export { ProgramError, type ProgramErrorKind } from "./program-error.js";
export { chooseVault, listVaults } from "./vaults.js";
export { version } from "./version.js";
