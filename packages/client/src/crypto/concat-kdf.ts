import { utf8 } from "./utf8.js";

export interface ConcatKdfInput {
  /** The shared secret Z. */
  readonly secret: Uint8Array;
  readonly algorithmId: string;
  /** `apu`, decoded. */
  readonly partyU: Uint8Array;
  /** `apv`, decoded. */
  readonly partyV: Uint8Array;
  /** 256 at most: one round of SHA-256. */
  readonly keyBits: 128 | 192 | 256;
}

/**
 * The Concat KDF with SHA-256, as JWA uses it.
 *
 * @see RFC 7518 section 4.6.2
 */
export async function concatKdf(input: ConcatKdfInput): Promise<Uint8Array<ArrayBuffer>> {
  const { secret, algorithmId, partyU, partyV, keyBits } = input;
  const round = uint32(1);
  const otherInfo = [prefixed(utf8(algorithmId)), prefixed(partyU), prefixed(partyV), uint32(keyBits)];
  const digest = await crypto.subtle.digest("SHA-256", concat([round, secret, ...otherInfo]));
  return new Uint8Array(digest).slice(0, keyBits / 8);
}

/** One after the other. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function prefixed(bytes: Uint8Array): Uint8Array {
  return concat([uint32(bytes.byteLength), bytes]);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
