/** Encodes bytes as base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes base64url. @throws DOMException InvalidCharacterError when the text contains other characters. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * Encodes values as the UTF-8 of a JSON array: no two lists of values have the same bytes. The label says what the bytes are for, and the
 * number is the version of that.
 */
export function statement(label: string, ...values: readonly unknown[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([`platform unlock: ${label}`, 1, ...values]));
}
