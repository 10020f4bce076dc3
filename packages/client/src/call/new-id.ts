/**
 * Creates a random id from the runtime's cryptography. Pages without https have no `randomUUID`. Node 18 has no global `crypto`,
 * but names blobs by random UUIDs.
 */
export function newId(): string {
  const { crypto } = globalThis;
  if (crypto) return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
