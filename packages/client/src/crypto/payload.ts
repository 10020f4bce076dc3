import { concat, encodeBase64url, prefixed, utf8 } from "./bytes.js";
import { type ItemPlace, identifierRule, isIdentifier, isVersion } from "./item-fields.js";
import { exportItemKey, type ItemKey } from "./item-key.js";
import type { TrustedWriter, Writer } from "./key-pairs.js";
import { OpenError } from "./open-error.js";
import { subtle } from "./web-crypto.js";

/** The version of a payload: `EncryptedPayload.version`. */
export type PayloadFormat = 1 | 2;

/** The values that format 2 binds a payload to. */
export interface Bindings {
  readonly place: ItemPlace;
  /** The item's `kind`. */
  readonly kind: string;
  /** The item's `titleHash`: the result of {@link titleHash}, or any base64url without padding. May be empty. */
  readonly titleHash: string;
  readonly itemKey: ItemKey;
}

const itemKind = /^[a-z][a-z0-9_]{0,63}$/;
const hash = /^[A-Za-z0-9_-]{0,256}$/;

/**
 * Returns the additional authenticated data (AAD) of a payload: a JSON array without spaces, as UTF-8. No two items have the
 * same AAD, because none of its values contains a character that JSON escapes.
 *
 * - Format 1: `[1,"tenant","vault","item",version]`.
 * - Format 2: `[2,"tenant","vault","item",version,"kind","titleHash","keyCommitment"]`.
 *
 * @throws TypeError (as a rejection) when an identifier, the version, the kind or the title hash is out of bounds.
 */
export async function associatedData(format: PayloadFormat, bindings: Bindings): Promise<Uint8Array<ArrayBuffer>> {
  const { place, kind, titleHash, itemKey } = bindings;
  const { tenantId, vaultId, itemId, version } = place;
  if (![tenantId, vaultId, itemId].every(isIdentifier))
    throw new TypeError(`Invalid place: tenantId, vaultId and itemId must each be ${identifierRule}.`);
  if (!isVersion(version)) throw new TypeError("Invalid place: version must be a whole number from 1 to 4294967295.");
  const parts = [format, tenantId, vaultId, itemId, version];
  if (format === 1) return utf8(JSON.stringify(parts));
  if (typeof kind !== "string" || !itemKind.test(kind))
    throw new TypeError("Invalid kind: must be 1 to 64 characters of a-z, 0-9 and _, starting with a letter.");
  if (typeof titleHash !== "string" || !hash.test(titleHash))
    throw new TypeError("Invalid titleHash: must be at most 256 characters of base64url. Compute it with titleHash().");
  return utf8(JSON.stringify([...parts, kind, titleHash, await keyCommitment(itemKey)]));
}

/** Returns the item version in associated data; undefined without a valid one. @throws SyntaxError when it is not JSON. */
export function versionIn(data: Uint8Array): number | undefined {
  const parts: unknown = JSON.parse(new TextDecoder().decode(data));
  const version: unknown = Array.isArray(parts) ? parts[4] : undefined;
  return isVersion(version) ? version : undefined;
}

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

/** The plaintext of format 2: the content, and the signature if there is one. */
export interface SealedContent {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly signature?: { readonly writerId: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

/** Values of the first byte. */
const unsigned = 0;
const signed = 1;
const signatureBytes = 64;
/** In bytes: the first byte, the length of the writer's id, the longest id (128), and the signature. */
export const longestHeader = 2 + 128 + signatureBytes;

const label = utf8("platform.v1 sealed item\0");

/**
 * Encodes the plaintext of format 2. Without a writer: `0x00`, then the content. With a writer: `0x01`, the length of the
 * writer's id (one byte), the id as ASCII, the signature (64 bytes), then the content.
 */
export async function encodeContent(
  content: Uint8Array<ArrayBuffer>,
  associatedData: Uint8Array,
  writer?: Writer,
): Promise<Uint8Array<ArrayBuffer>> {
  if (writer === undefined) return concat([Uint8Array.of(unsigned), content]);
  const { writerId, privateKey } = writer;
  const statement = await signedStatement(content, associatedData, writerId);
  const signature = new Uint8Array(await subtle().sign("Ed25519", privateKey, statement));
  return concat([Uint8Array.of(signed, writerId.length), utf8(writerId), signature, content]);
}

/** Decodes the plaintext of format 2. @throws OpenError when it is malformed. */
export function decodeContent(bytes: Uint8Array<ArrayBuffer>): SealedContent {
  const [kind, idBytes = 0] = bytes;
  if (kind === unsigned) return { content: bytes.slice(1) };
  const start = 2 + idBytes;
  const end = start + signatureBytes;
  if (kind !== signed || bytes.byteLength < end) throw new OpenError();
  const writerId = String.fromCharCode(...bytes.slice(2, start));
  return { content: bytes.slice(end), signature: { writerId, bytes: bytes.slice(start, end) } };
}

/** Returns the id of the trusted writer who signed the content. @throws OpenError (as a rejection) when none did. */
export async function signerOf(
  { content, signature }: SealedContent,
  associatedData: Uint8Array,
  writers: readonly TrustedWriter[],
): Promise<string> {
  for (const { writerId, publicKey } of writers) {
    if (signature?.writerId !== writerId) continue;
    const statement = await signedStatement(content, associatedData, writerId);
    if (await subtle().verify("Ed25519", publicKey, signature.bytes, statement)) return writerId;
  }
  throw new OpenError();
}

/**
 * Returns the bytes that a writer signs: the label, the associated data and the writer's id, each prefixed with its length (32
 * bits), then the SHA-256 of the content. The associated data commits to the item key, so that a reader cannot reuse the signature
 * under another key.
 */
async function signedStatement(
  content: Uint8Array<ArrayBuffer>,
  associatedData: Uint8Array,
  writerId: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const hash = new Uint8Array(await subtle().digest("SHA-256", content));
  return concat([label, prefixed(associatedData), prefixed(utf8(writerId)), hash]);
}
