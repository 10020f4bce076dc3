import { crc32 } from "node:zlib";

/**
 * Computes the checksum of a record. It covers the value, the keys and the owner, so that a value stored under another key is detected
 * too. It does not cover `revision` and `expires_at`, which the restore of a backup changes.
 *
 * @param columns the collection, the key, the tenant, the principal and the OAuth client.
 */
export function recordChecksum(columns: readonly string[], createdAt: number, value: string): number {
  return crc32(value, crc32(JSON.stringify([...columns, createdAt])));
}
