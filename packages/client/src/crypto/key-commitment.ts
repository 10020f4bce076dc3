import { encodeBase64url } from "./base64url.js";
import { exportItemKey, type ItemKey } from "./item-key.js";
import { utf8 } from "./utf8.js";
import { subtle } from "./web-crypto.js";

const info = utf8("platform.v1 item key commitment");

/**
 * Computes the commitment to an item key: HKDF-SHA-256 of its 32 bytes, without salt, 32 bytes long, as base64url. It reveals
 * nothing about the key, and no two keys share one. AES-GCM is not key-committing: without the commitment, someone who knows two
 * keys could create one ciphertext that opens under both.
 *
 * @see RFC 5869
 */
export async function keyCommitment(itemKey: ItemKey): Promise<string> {
  const bytes = await exportItemKey(itemKey);
  const secret = await subtle().importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
  bytes.fill(0);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return encodeBase64url(new Uint8Array(await subtle().deriveBits(algorithm, secret, 256)));
}
