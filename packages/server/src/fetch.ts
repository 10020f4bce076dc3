// The entry for runtimes without node:http and node:sqlite. Import other types from the main entry: that loads no module.
export { sealRows } from "./audit/seal-rows.js";
export { entriesInOrder } from "./domain/model/audit-seal.js";
export { defineRule } from "./domain/rule.js";
export { type Documents, jsonDocument } from "./http/documents.js";
export { createFetchHandler } from "./http/fetch-handler.js";
export type { Limits } from "./http/limits.js";
export type { GatedRoutes, HandlerOptions } from "./http/options.js";
export type { Document } from "./http/representations.js";
export type { Logger, RequestEnd } from "./http/request-log.js";
export { createPlatform, type Platform, type PlatformOptions, publicOperations } from "./platform.js";
export type { KeyValueStore } from "./ports/key-value-store.js";
export { type Storage, StorageError } from "./ports/storage.js";
export { createKeyValueStorage } from "./storage/key-value/create-key-value-storage.js";
export type { KeyFile, KeyStore } from "./tokens/key-file.js";
export { createMemoryKeyStore } from "./tokens/memory-key-store.js";
