/**
 * Encodes values as the UTF-8 of a JSON array: no two lists of values have the same bytes. The label says what the bytes are for, and the
 * number is the version of that.
 */
export function statement(label: string, ...values: readonly unknown[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([`platform unlock: ${label}`, 1, ...values]));
}
