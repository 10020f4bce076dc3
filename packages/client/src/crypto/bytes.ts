export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}

/** Returns bytes prefixed with their length as `uint32`. */
export function prefixed(bytes: Uint8Array): Uint8Array {
  return concat([uint32(bytes.byteLength), bytes]);
}

/** Encodes a number as four bytes, big-endian. */
export function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** How many bytes become text at once: each is an argument of a call. */
const chunkBytes = 8192;

/** Encodes bytes as base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.byteLength; start += chunkBytes) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunkBytes));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What the text can end with after a number of characters that is not a multiple of 4: then its unused bits are zero. */
const canonicalEnd = [/^/, /$^/, /[AQgw]$/, /[AEIMQUYcgkosw048]$/];

/** Decodes base64url. Returns undefined for non-canonical text: padding, other characters, or nonzero trailing bits. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || canonicalEnd[text.length % 4]?.test(text) !== true) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
