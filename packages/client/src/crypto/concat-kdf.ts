import { concat, prefixed, uint32 } from "./bytes.js";
import { utf8 } from "./utf8.js";
import { subtle } from "./web-crypto.js";

export interface ConcatKdfInput {
  /** The shared secret Z. */
  readonly secret: Uint8Array;
  readonly algorithmId: string;
  /** `apu`, decoded. */
  readonly partyU: Uint8Array;
  /** `apv`, decoded. */
  readonly partyV: Uint8Array;
  /** At most 256: one round of SHA-256. */
  readonly keyBits: 128 | 192 | 256;
}

/**
 * Derives a key with the Concat KDF and SHA-256, as JWA uses it.
 *
 * @see RFC 7518 section 4.6.2
 */
export async function concatKdf(input: ConcatKdfInput): Promise<Uint8Array<ArrayBuffer>> {
  const { secret, algorithmId, partyU, partyV, keyBits } = input;
  const round = uint32(1);
  const otherInfo = [prefixed(utf8(algorithmId)), prefixed(partyU), prefixed(partyV), uint32(keyBits)];
  const digest = await subtle().digest("SHA-256", concat([round, secret, ...otherInfo]));
  return new Uint8Array(digest).slice(0, keyBits / 8);
}
