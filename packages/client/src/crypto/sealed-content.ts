import { concat, prefixed } from "./bytes.js";
import { OpenError } from "./open-error.js";
import { utf8 } from "./utf8.js";
import { subtle } from "./web-crypto.js";
import type { TrustedWriter, Writer } from "./writer-keys.js";

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
