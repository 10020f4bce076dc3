import { concat, prefixed } from "./bytes.js";
import { OpenFailure } from "./open-failure.js";
import { utf8 } from "./utf8.js";
import type { TrustedWriter, Writer } from "./writer-keys.js";

/** What format 2 encrypts: the content, and who signed it. */
export interface SealedContent {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly signature?: { readonly writerId: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

/** The first byte. */
const unsigned = 0;
const signed = 1;
const signatureBytes = 64;
/** With the longest writer's id: two bytes, 128, and the signature. */
export const longestHeader = 2 + 128 + signatureBytes;

const label = utf8("platform.v1 sealed item\0");

/**
 * Without a writer `0x00`, then the content. With one `0x01`, the length of the writer's id in one byte, the id as ASCII, the
 * signature (64 bytes), then the content.
 */
export async function encodeContent(
  content: Uint8Array<ArrayBuffer>,
  associatedData: Uint8Array,
  writer?: Writer,
): Promise<Uint8Array<ArrayBuffer>> {
  if (writer === undefined) return concat([Uint8Array.of(unsigned), content]);
  const { writerId, privateKey } = writer;
  const statement = await signedStatement(content, associatedData, writerId);
  const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, statement));
  return concat([Uint8Array.of(signed, writerId.length), utf8(writerId), signature, content]);
}

/** @throws OpenFailure when it is neither. */
export function decodeContent(bytes: Uint8Array<ArrayBuffer>): SealedContent {
  const [kind, idBytes = 0] = bytes;
  if (kind === unsigned) return { content: bytes.slice(1) };
  const start = 2 + idBytes;
  const end = start + signatureBytes;
  if (kind !== signed || bytes.byteLength < end) throw new OpenFailure();
  const writerId = String.fromCharCode(...bytes.slice(2, start));
  return { content: bytes.slice(end), signature: { writerId, bytes: bytes.slice(start, end) } };
}

/** The id of the trusted writer who signed a content. @throws OpenFailure (as a rejection) when none did. */
export async function signerOf(
  { content, signature }: SealedContent,
  associatedData: Uint8Array,
  writers: readonly TrustedWriter[],
): Promise<string> {
  for (const { writerId, publicKey } of writers) {
    if (signature?.writerId !== writerId) continue;
    const statement = await signedStatement(content, associatedData, writerId);
    if (await crypto.subtle.verify("Ed25519", publicKey, signature.bytes, statement)) return writerId;
  }
  throw new OpenFailure();
}

/**
 * What a writer signs: the label, then the associated data and the writer's id, each after its length (32 bits), then the SHA-256
 * of the content. The associated data commits to the item key, so that a reader cannot pass the signature on under another key.
 */
async function signedStatement(
  content: Uint8Array<ArrayBuffer>,
  associatedData: Uint8Array,
  writerId: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return concat([label, prefixed(associatedData), prefixed(utf8(writerId)), hash]);
}
