import { decodeBase64url as decode } from "../../../client/src/crypto/bytes.js";

export { encodeBase64url } from "../../../client/src/crypto/bytes.js";

/** Decodes base64url. @throws TypeError for padding, other characters, and nonzero trailing bits: each value has one text. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decode(text);
  if (bytes === undefined) throw new TypeError("The text is not base64url without padding (RFC 4648 section 5).");
  return bytes;
}
