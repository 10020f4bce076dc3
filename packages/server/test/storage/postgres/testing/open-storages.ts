import { onTestFinished } from "vitest";
import {
  createPostgresStorage,
  type PostgresStorage,
} from "../../../../src/storage/postgres/create-postgres-storage.js";
import type { PostgresStorageOptions } from "../../../../src/storage/postgres/options.js";
import { createTestDatabase } from "../../../../src/storage/postgres/testing/test-database.js";

/** The content key of all tests. */
export const contentKey = new Uint8Array(32).fill(7);

/** Opens a storage that is closed after the test. */
export async function openStorage(
  options: Partial<PostgresStorageOptions> & { readonly url: string },
): Promise<PostgresStorage> {
  const storage = await createPostgresStorage({ contentKey, ...options });
  onTestFinished(() => storage.close());
  return storage;
}

/** Opens storages of one new database, as several processes do. Closes them after the test. */
export async function openStorages(count: number) {
  const url = await createTestDatabase();
  const storages = await Promise.all(Array.from({ length: count }, () => openStorage({ url })));
  return { url, storages };
}
