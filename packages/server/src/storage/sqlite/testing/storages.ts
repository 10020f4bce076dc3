import { createSqliteStorage, type SqliteStorage, type SqliteStorageOptions } from "../create-sqlite-storage.js";
import { startWriterThread } from "../thread/create-threaded-sqlite-storage.js";
import { bundleOf } from "./bundle.js";

/** Opens a storage whose writer is in a thread, from the sources. */
export function openInThread(options: SqliteStorageOptions): Promise<SqliteStorage> {
  return startWriterThread(bundleOf(new URL("./suite-writer.ts", import.meta.url)), options);
}

interface StorageKind {
  readonly where: string;
  readonly openStorage: (options: SqliteStorageOptions) => Promise<SqliteStorage>;
}

export const inSameThread: StorageKind = {
  where: "in the same thread",
  openStorage: async (options) => createSqliteStorage(options),
};

/** Both ways, for tests that apply to both. */
export const storages: readonly StorageKind[] = [
  inSameThread,
  { where: "with its writer in a thread", openStorage: openInThread },
];
