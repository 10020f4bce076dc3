import { sealItem as seal, titleHash, type Writer } from "@platform-rpc/client/crypto";
import { limits } from "../item-content.js";
import type { Revision } from "./memory.js";
import { openKeyOf, type VaultKeyReader } from "./vault-key.js";

/** What was written, and the version that it replaces: 0 for a new item. */
export interface WrittenItem {
  /** The id of a new item is made by its writer, because the content is bound to it. */
  readonly itemId: string;
  readonly baseVersion: number;
  readonly kind: string;
  readonly title: string;
  /** The content, as `writeContent` returns it. */
  readonly text: string;
  /** The content that it replaces. Undefined for a new item. */
  readonly replaces?: Revision | undefined;
}

/** What seals items of a vault with a key. */
export interface ItemSealer extends VaultKeyReader {
  readonly tenantId: string;
  readonly writer: Writer;
}

/** Encrypts an item for the key of its vault, and signs it. Resolves with what the request contains, besides the vault. */
export async function sealItem(sealer: ItemSealer, written: WrittenItem) {
  const { itemId, baseVersion, kind, title } = written;
  const { tenantId, vaultId, key, writer } = sealer;
  const vaultKey = await openKeyOf(sealer);
  const sealed = await seal({
    place: { tenantId, vaultId, itemId, version: baseVersion + 1 },
    kind,
    titleHash: await titleHash(vaultKey, title),
    plaintext: plaintextOf(written),
    recipients: [{ recipientId: key?.keyId ?? "", vaultKey }],
    writer,
  });
  return { itemId, baseVersion, ...sealed, wrappedKeys: [...sealed.wrappedKeys] };
}

/** Returns the bytes of a content, which name the content that it replaces if there is room for that. */
function plaintextOf({ text, baseVersion, replaces }: WrittenItem): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  if (replaces === undefined) return encoder.encode(text);
  const replaced = { version: replaces.version, hash: replaces.hash, by: baseVersion + 1 };
  // The text is an object with members.
  const bytes = encoder.encode(`${text.slice(0, -1)},"replaces":${JSON.stringify(replaced)}}`);
  return bytes.byteLength <= limits.bytes ? bytes : encoder.encode(text);
}
