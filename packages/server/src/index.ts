export { publicContract } from "./contract/contract.js";
export { connectHostOptions } from "./http/connect-host.js";
export { jsonDocument } from "./http/documents.js";
export { createFetchHandler } from "./http/fetch-handler.js";
export { createUnreadResponses } from "./http/limits.js";
export { createListener } from "./http/listener.js";
export type { HandlerOptions, Listener, ListenerOptions } from "./http/options.js";
export type { Document } from "./http/representations.js";
export type { Logger, RequestEnd } from "./http/request-log.js";
export type { PlatformJob } from "./jobs/shared-jobs.js";
export { createPlatform, type Platform, type PlatformOptions } from "./platform.js";
export type { Clock } from "./ports/clock.js";
export type { KeyValueStore } from "./ports/key-value-store.js";
export { type Storage, StorageError } from "./ports/storage.js";
export type { Call } from "./services/call.js";
export { checkedMethod } from "./services/handle.js";
export type { Operations } from "./services/operations.js";
export type { Routes } from "./services/routes.js";
export { createRpcErrors, rpcError } from "./services/rpc-error.js";
export { RestoreError } from "./storage/epoch.js";
export { createKeyValueStorage } from "./storage/key-value/create-key-value-storage.js";
export { backUpSqliteDatabase } from "./storage/sqlite/backup/back-up-database.js";
export { BackupError } from "./storage/sqlite/backup/backup-error.js";
export {
  createSqliteStorage,
  type SqliteStorage,
  type SqliteStorageOptions,
} from "./storage/sqlite/create-sqlite-storage.js";
export { restoreSqliteBackup } from "./storage/sqlite/restore/restore-backup.js";
export { createThreadedSqliteStorage } from "./storage/sqlite/thread/create-threaded-sqlite-storage.js";
export { createBoundKeyStore, KeysMismatchError } from "./tokens/bound-key-store.js";
export { createFileKeyStore } from "./tokens/file-key-store.js";
export { KeyFileError, type KeyStore } from "./tokens/key-file.js";
export { createMemoryKeyStore } from "./tokens/memory-key-store.js";
