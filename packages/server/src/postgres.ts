export {
  type BeginEpochOptions,
  beginPostgresEpoch,
  type ConfirmDatabaseOptions,
  confirmPostgresDatabase,
} from "./storage/postgres/begin-epoch.js";
export { createPostgresStorage, type PostgresStorage } from "./storage/postgres/create-postgres-storage.js";
export {
  copySqliteToPostgres,
  type DataCopy,
  type DataCopyOptions,
} from "./storage/postgres/from-sqlite/copy-sqlite-to-postgres.js";
export { DataCopyError } from "./storage/postgres/from-sqlite/data-copy-error.js";
export {
  migratePostgresDatabase,
  PostgresOwnerRequiredError,
  PostgresSchemaTooNewError,
  PostgresSchemaTooOldError,
} from "./storage/postgres/migrate.js";
export { openPostgresHistory, type PostgresHistory } from "./storage/postgres/open-history.js";
export type { PostgresStorageOptions } from "./storage/postgres/options.js";
export { PostgresCopyUnfinishedError } from "./storage/postgres/unfinished-copy.js";
