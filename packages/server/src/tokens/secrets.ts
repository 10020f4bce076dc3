import {
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from "node:crypto";
import { userCodeAlphabet } from "../domain/model/device-authorization.js";
import type { RefreshGeneration } from "../domain/model/refresh-family.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import { createUuidV7 } from "./uuid-v7.js";

const authorizationCodePattern = /^pac_([A-Za-z0-9-]{1,128})\.[A-Za-z0-9_-]{43}$/;

/** The length of the HMAC key for codes, in bytes. */
export const hmacKeyBytes = 32;

const refreshPattern = /^prt_([A-Za-z0-9-]{1,128})\.([1-9][0-9]{0,8})\.[A-Za-z0-9_-]{43}$/;

/** The HMAC key for codes, and the clock for ids. */
export interface SecretsOptions {
  /** 32 random bytes, stored outside the database. With another key, codes that were hashed before are not found. */
  readonly hmacKey: Uint8Array;
  readonly clock: Clock;
}

/**
 * Creates the secrets of the platform, with the randomness of node:crypto.
 *
 * Each purpose has a separate key derived from `hmacKey` (RFC 5869), so that a hash for one purpose never matches a hash
 * for another.
 *
 * @throws RangeError when `hmacKey` is not 32 bytes long.
 */
export function createSecrets({ hmacKey, clock }: SecretsOptions): Secrets {
  if (hmacKey.byteLength !== hmacKeyBytes) throw new RangeError(`hmacKey must be ${hmacKeyBytes} bytes long`);
  const userCodeKey = deriveKey(hmacKey, "user-code");
  const idempotencyKey = deriveKey(hmacKey, "idempotency-key");
  const refreshKey = deriveKey(hmacKey, "refresh-token");
  const refreshToken = ({ familyId, generation }: RefreshGeneration) => {
    const named = `prt_${familyId}.${generation}`;
    return `${named}.${keyedHash(refreshKey, named)}`;
  };
  return {
    newId: createUuidV7({ clock }),
    newDeviceCode: () => `pdc_${randomBytes(32).toString("base64url")}`,
    newUserCode: () => Array.from({ length: 8 }, randomLetter).join(""),
    hashDeviceCode: (deviceCode) => hash("sha256", deviceCode, "base64url"),
    newAuthorizationCode(grantId) {
      const code = `pac_${grantId}.${randomBytes(32).toString("base64url")}`;
      return { code, codeHash: hash("sha256", code, "base64url"), grantId };
    },
    readAuthorizationCode(code) {
      const [, grantId] = authorizationCodePattern.exec(code) ?? [];
      return grantId === undefined ? undefined : { codeHash: hash("sha256", code, "base64url"), grantId };
    },
    codeChallenge: (codeVerifier) => hash("sha256", codeVerifier, "base64url"),
    hashUserCode: (letters) => keyedHash(userCodeKey, letters),
    hashIdempotencyKey: (key) => keyedHash(idempotencyKey, key),
    refreshToken,
    readRefreshToken(token) {
      const [, familyId, generation] = refreshPattern.exec(token) ?? [];
      if (familyId === undefined || generation === undefined) return undefined;
      const read = { familyId, generation: Number(generation) };
      const [sent, expected] = [Buffer.from(token), Buffer.from(refreshToken(read))];
      return sent.length === expected.length && timingSafeEqual(sent, expected) ? read : undefined;
    },
  };
}

function deriveKey(hmacKey: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", hmacKey, "", purpose, hmacKeyBytes)));
}

function keyedHash(key: KeyObject, value: string): string {
  return createHmac("sha256", key).update(value).digest("base64url");
}

function randomLetter(): string {
  return userCodeAlphabet.charAt(randomInt(userCodeAlphabet.length));
}
