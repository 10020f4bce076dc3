import {
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  randomInt,
  timingSafeEqual,
} from "node:crypto";
import { userCodeAlphabet } from "../domain/model/device-authorization.js";
import type { RefreshGeneration } from "../domain/model/refresh-family.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";

const authorizationCodePattern = /^pac_([A-Za-z0-9-]{1,128})\.[A-Za-z0-9_-]{43}$/;

export const hmacKeyBytes = 32;

const refreshPattern = /^prt_([A-Za-z0-9-]{1,128})\.([1-9][0-9]{0,8})\.[A-Za-z0-9_-]{43}$/;

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

const randomBytesOfId = 10;
const idsInPool = 512;
const lastCount = 0xfff;

/**
 * Creates a generator of UUIDv7s. Each is greater than the one before, also within a millisecond and when the clock steps
 * back.
 *
 * `rand_a` is a counter (RFC 9562 section 6.2, method 1). It is seeded at random in each millisecond with its highest bit
 * clear, so that at least 2048 ids fit. When it overflows, the timestamp runs ahead of the clock by a millisecond. Random
 * bytes come from a pool, because a system call for each id would cost more than everything else.
 *
 * @see RFC 9562 section 5.7
 */
export function createUuidV7({ clock }: { readonly clock: Clock }): () => string {
  const pool = Buffer.alloc(idsInPool * randomBytesOfId);
  const id = Buffer.alloc(16);
  let drawn = pool.length;
  let timestamp = 0;
  let count = 0;

  return () => {
    if (drawn === pool.length) {
      randomFillSync(pool);
      drawn = 0;
    }
    pool.copy(id, 6, drawn, drawn + randomBytesOfId);
    drawn += randomBytesOfId;

    const now = clock.now();
    count += 1;
    if (now > timestamp || count > lastCount) {
      timestamp = Math.max(now, timestamp + 1);
      count = id.readUInt16BE(6) & (lastCount >> 1);
    }
    id.writeUIntBE(timestamp, 0, 6);
    id.writeUInt16BE(0x7000 | count, 6);
    id.writeUInt8(0x80 | (id.readUInt8(8) & 0x3f), 8);

    const hex = id.toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}
