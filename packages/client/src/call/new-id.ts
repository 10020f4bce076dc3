/**
 * Creates a random id from the runtime's cryptography: a UUID, or 128 bits on pages without https, which lack
 * `crypto.randomUUID`. Node 18 has no global `crypto`, but names blobs by random UUIDs.
 */
export function newId(): string {
  if (globalThis.crypto) return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
