import { crc32 } from "node:zlib";

/** Added to every checksum, so that SQLite stores it in six bytes. `shreddable-text.ts` depends on that. */
const sixBytes = 2 ** 40;

/**
 * Computes the checksum of an item's content. It covers the content as stored, the columns that describe it, and the id of
 * the row, so that content stored under another item is detected too.
 *
 * A CRC-32 detects errors of disks and memory, at a tenth of the cost of a cryptographic hash. It does not protect against
 * someone who can write the file: the encryption of the content does.
 */
export function contentChecksum(item: number, kind: string, alg: string, version: number, content: string): number {
  return sixBytes + crc32(content, crc32(JSON.stringify([item, kind, alg, version])));
}
