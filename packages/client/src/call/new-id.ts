/**
 * Creates a random id of 128 bits from the runtime's cryptography, in 32 or 36 visible characters. Not `crypto.randomUUID`: pages
 * without https lack it but have `getRandomValues`. Node 18 has no global `crypto`, but names blobs by random UUIDs.
 */
export function newId(): string {
  if (globalThis.crypto) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
