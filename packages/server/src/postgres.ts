export {
  MoveSqliteTenantError,
  type MoveSqliteTenantOptions,
  type SqliteMoveStep,
} from "./storage/postgres/arrive/may-arrive.js";
export { movedSqlitePath, moveSqliteTenant } from "./storage/postgres/arrive/move-sqlite-tenant.js";
export {
  type BeginEpochOptions,
  beginPostgresEpoch,
  type ConfirmDatabaseOptions,
  confirmPostgresDatabase,
} from "./storage/postgres/begin-epoch.js";
export {
  type CellTenant,
  openPostgresCell,
  type PostgresCell,
  PostgresCellError,
  PostgresInUseError,
} from "./storage/postgres/cell.js";
export { createPostgresStorage, type PostgresStorage } from "./storage/postgres/create-postgres-storage.js";
export { openPostgresHistory, type PostgresHistory } from "./storage/postgres/database/open-history.js";
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
export { MoveTenantError, type MovingCell } from "./storage/postgres/move/assignment.js";
export { type CancelMoveOptions, cancelMove } from "./storage/postgres/move/cancel-move.js";
export { type GiveUpTenantOptions, giveUpTenant } from "./storage/postgres/move/give-up-tenant.js";
export {
  type MovedTenant,
  type MoveStep,
  type MoveTenantOptions,
  moveTenant,
} from "./storage/postgres/move/move-tenant.js";
export { type RemoveMovedTenantOptions, removeMovedTenant } from "./storage/postgres/move/remove-moved-tenant.js";
export type { CellOptions, PostgresStorageOptions } from "./storage/postgres/options.js";
