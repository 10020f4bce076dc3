/**
 * A new random UUID. `crypto.randomUUID` is missing on pages that are not secure contexts and in Node 18; the URLs of
 * blobs hold a random UUID everywhere.
 *
 * @see https://w3c.github.io/FileAPI/#unicodeBlobURL
 */
export function newId(): string {
  if (globalThis.crypto?.randomUUID !== undefined) return globalThis.crypto.randomUUID();
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
