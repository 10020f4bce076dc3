import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes, randomInt } from "node:crypto";
import { userCodeAlphabet } from "../domain/device-authorization.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import { createUuidV7 } from "./uuid-v7.js";

/** Bytes of the key under which codes are hashed. */
export const hmacKeyBytes = 32;

/** The key under which codes are hashed. */
export interface SecretsOptions {
  /** 32 random bytes, kept outside the database. With another key, what was hashed before is no longer found. */
  readonly hmacKey: Uint8Array;
  readonly clock: Clock;
}

/**
 * The secrets of the platform, from the randomness of node:crypto.
 *
 * Each purpose hashes with a key of its own, derived from `hmacKey` (RFC 5869), so that a hash made for one never
 * matches a hash made for another.
 *
 * @throws RangeError when `hmacKey` is not 32 bytes long.
 */
export function createSecrets({ hmacKey, clock }: SecretsOptions): Secrets {
  if (hmacKey.byteLength !== hmacKeyBytes) throw new RangeError(`hmacKey must be ${hmacKeyBytes} bytes long`);
  const userCodeKey = deriveKey(hmacKey, "user-code");
  const idempotencyKey = deriveKey(hmacKey, "idempotency-key");
  return {
    newId: createUuidV7({ clock }),
    newDeviceCode: () => `pdc_${randomBytes(32).toString("base64url")}`,
    newUserCode: () => Array.from({ length: 8 }, drawLetter).join(""),
    hashDeviceCode: (deviceCode) => hash("sha256", deviceCode, "base64url"),
    hashUserCode: (letters) => keyedHash(userCodeKey, letters),
    hashIdempotencyKey: (key) => keyedHash(idempotencyKey, key),
  };
}

function deriveKey(hmacKey: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", hmacKey, "", purpose, hmacKeyBytes)));
}

function keyedHash(key: KeyObject, value: string): string {
  return createHmac("sha256", key).update(value).digest("base64url");
}

function drawLetter(): string {
  return userCodeAlphabet.charAt(randomInt(userCodeAlphabet.length));
}
