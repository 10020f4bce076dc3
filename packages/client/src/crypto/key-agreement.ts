import { concat, prefixed, uint32, utf8 } from "./bytes.js";
import { cryptoKeyOf, handleOf, type ItemKey, itemKeyParameters } from "./item-key.js";
import { OpenError } from "./open-error.js";
import { subtle, type WebCryptoKey, type WebCryptoKeyPair } from "./web-crypto.js";

const curve = { name: "ECDH", namedCurve: "P-256" };
/** An uncompressed point of P-256: 0x04, x and y (SEC 1 section 2.3.3). */
const pointBytes = 65;
const uncompressed = 4;

/** Generates a key pair for one key agreement. */
export async function generateEphemeral(): Promise<WebCryptoKeyPair> {
  return subtle().generateKey(curve, false, ["deriveBits"]);
}

/**
 * Wraps an item key with ECDH-ES+A256KW (RFC 7518 section 4.6), with an empty `apu` and the recipient's id as `apv`. There is no
 * JOSE header for the ephemeral key, so it precedes the wrapped key as an uncompressed point.
 */
export async function wrapByAgreement(
  itemKey: ItemKey,
  recipient: { readonly recipientId: string; readonly publicKey: WebCryptoKey },
  ephemeral: WebCryptoKeyPair,
): Promise<Uint8Array> {
  const wrappingKey = await agree(ephemeral.privateKey, recipient.publicKey, recipient.recipientId);
  const wrapped = await subtle().wrapKey("raw", cryptoKeyOf(itemKey), wrappingKey, "AES-KW");
  const point = await subtle().exportKey("raw", ephemeral.publicKey);
  return concat([new Uint8Array(point), new Uint8Array(wrapped)]);
}

/**
 * Unwraps an item key, or rejects. Runtimes also import points in hybrid form (0x06, 0x07); this function rejects them, so that
 * a wrapped key has exactly one encoding.
 */
export async function unwrapByAgreement(
  wrapped: Uint8Array<ArrayBuffer>,
  holder: { readonly recipientId: string; readonly privateKey: WebCryptoKey },
): Promise<ItemKey> {
  if (wrapped[0] !== uncompressed) throw new OpenError();
  const ephemeral = await subtle().importKey("raw", wrapped.slice(0, pointBytes), curve, true, []);
  const wrappingKey = await agree(holder.privateKey, ephemeral, holder.recipientId);
  const { algorithm, extractable, usages } = itemKeyParameters;
  return handleOf(
    await subtle().unwrapKey("raw", wrapped.slice(pointBytes), wrappingKey, "AES-KW", algorithm, extractable, usages),
  );
}

async function agree(privateKey: WebCryptoKey, publicKey: WebCryptoKey, recipientId: string): Promise<WebCryptoKey> {
  const secret = await subtle().deriveBits({ name: "ECDH", public: publicKey }, privateKey, 256);
  const bytes = await concatKdf({
    secret: new Uint8Array(secret),
    algorithmId: "ECDH-ES+A256KW",
    partyU: new Uint8Array(),
    partyV: utf8(recipientId),
    keyBits: 256,
  });
  return subtle().importKey("raw", bytes, "AES-KW", false, ["wrapKey", "unwrapKey"]);
}

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

/** Derives a key with the Concat KDF and SHA-256, as JWA uses it (RFC 7518 section 4.6.2). */
export async function concatKdf(input: ConcatKdfInput): Promise<Uint8Array<ArrayBuffer>> {
  const { secret, algorithmId, partyU, partyV, keyBits } = input;
  const round = uint32(1);
  const otherInfo = [prefixed(utf8(algorithmId)), prefixed(partyU), prefixed(partyV), uint32(keyBits)];
  const digest = await subtle().digest("SHA-256", concat([round, secret, ...otherInfo]));
  return new Uint8Array(digest).slice(0, keyBits / 8);
}
