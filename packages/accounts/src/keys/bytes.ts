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

/** The input of {@link deriveBytes}. */
interface DeriveBytesInput {
  /** A secret with enough randomness: never a password. */
  readonly secret: Uint8Array<ArrayBuffer>;
  /** Default: empty. */
  readonly salt?: Uint8Array<ArrayBuffer>;
  /** What the bytes are for. Each purpose gets independent bytes. */
  readonly info: string;
  readonly length: number;
}

/** Derives bytes from a secret with HKDF-SHA-256 (RFC 5869). */
export async function deriveBytes(input: DeriveBytesInput): Promise<Uint8Array<ArrayBuffer>> {
  const { secret, salt = new Uint8Array(), info, length } = input;
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, length * 8));
}
