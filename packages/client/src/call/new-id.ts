/** Creates a random id: a UUID, or 128 random bits on pages without https, which lack `crypto.randomUUID`. */
export function newId(): string {
  if (globalThis.crypto) return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  // Node 18 has no global `crypto`, but the URL of a blob ends with a random UUID.
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
