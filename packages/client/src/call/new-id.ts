/**
 * Creates a random id of 128 bits from the runtime's cryptography. Not `crypto.randomUUID`: pages without https lack it but have
 * `getRandomValues`. Node 18 has no global `crypto`, but names blobs by random UUIDs.
 */
export function newId(): string {
  if (globalThis.crypto) return crypto.getRandomValues(new Uint32Array(4)).join("-");
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
