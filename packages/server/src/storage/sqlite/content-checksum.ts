import { crc32 } from "node:zlib";

/** With this added, every checksum takes six bytes in a row, as `shreddable-text.ts` counts on. */
const sixBytes = 2 ** 40;

/**
 * The checksum of an item's content: what its owner has written, as its rows hold it, and the id of those rows, so that
 * content that has got under another item is found too.
 *
 * A CRC-32 finds what disks and memory do to bytes, and costs a tenth of a cryptographic hash. Whoever can write the file
 * can write a checksum that fits: against them stands the encryption of the content.
 */
export function contentChecksum(item: number, kind: string, alg: string, version: number, content: string): number {
  return sixBytes + crc32(content, crc32(JSON.stringify([item, kind, alg, version])));
}
