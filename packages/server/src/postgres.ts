export {
  createPostgresStorage,
  type PostgresStorage,
  type PostgresStorageOptions,
} from "./storage/postgres/create-postgres-storage.js";
export { PostgresSchemaTooNewError } from "./storage/postgres/migrate.js";
