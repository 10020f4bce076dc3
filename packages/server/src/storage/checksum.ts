import { crc32 } from "node:zlib";

/**
 * Computes the checksum of a row: the hash of its texts, plus a weighted sum of its integers. It differs after any change of one text
 * or one integer. A statement can add what only the database knows, such as a row id that it assigns, or compare a row that has only
 * integers: see `sumOf`.
 *
 * It detects errors of disks and memory, at a small part of the cost of a cryptographic hash. It does not protect against someone who
 * can write to the database: the encryption of the content and the seals of the audit trail do.
 *
 * @param integers NULL counts as 0, which no nullable column contains.
 */
export function checksumOf(texts: readonly string[], ...integers: readonly (number | undefined)[]): number {
  let sum = hashOf(texts);
  for (let index = 0; index < integers.length; index += 1) sum += weightOf(index) * folded(integers[index] ?? 0);
  return sum;
}

/** Folds an integer that is too large for a sum of safe integers: larger than any position and any time. */
function folded(integer: number): number {
  return Math.abs(integer) < 2 ** 44 ? integer : (integer % 2 ** 44) + Math.trunc(integer / 2 ** 44);
}

/** Returns the SQL of the weighted sum of integers, in the order of their places in the checksum. */
export function sumOf(integers: readonly string[]): string {
  return integers.map((integer, index) => `${weightOf(index)} * (${integer})`).join(" + ");
}

/**
 * Returns the SQL of the difference that changes of integers make in a checksum. It keeps the damage of a row, because the checksum is not
 * computed anew.
 *
 * @param integers the integers of the checksum, in their order.
 * @param changes the SQL of the difference of each integer that changes.
 */
export function differenceOf<const Name extends string>(
  integers: readonly Name[],
  changes: { readonly [Changed in NoInfer<Name>]?: string },
): string {
  return sumOf(integers.map((name) => changes[name] ?? "0"));
}

/** Odd and different, so that a bit changes the sum in every column, and so does the exchange of two columns. */
function weightOf(index: number): number {
  return 2 * index + 1;
}

/** A native CRC-32 is faster for texts longer than this. */
const shortText = 200;

function hashOf(texts: readonly string[]): number {
  let hash = 0x811c9dc5;
  // Each step is a bijection of the hash, so that a change of one character always changes the result.
  for (const text of texts) {
    if (text.length > shortText) hash ^= crc32(text);
    else for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ text.length, 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
