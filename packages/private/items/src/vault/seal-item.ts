import { sealItem as seal, titleHash, type Writer } from "@platform-rpc/client/crypto";
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
}

/** What seals items of a vault with a key. */
export interface ItemSealer extends VaultKeyReader {
  readonly tenantId: string;
  readonly writer: Writer;
}

/** Encrypts an item for the key of its vault, and signs it. Resolves with what the request contains, besides the vault. */
export async function sealItem(sealer: ItemSealer, { itemId, baseVersion, kind, title, text }: WrittenItem) {
  const { tenantId, vaultId, key, writer } = sealer;
  const vaultKey = await openKeyOf(sealer);
  const sealed = await seal({
    place: { tenantId, vaultId, itemId, version: baseVersion + 1 },
    kind,
    titleHash: await titleHash(vaultKey, title),
    plaintext: new TextEncoder().encode(text),
    recipients: [{ recipientId: key?.keyId ?? "", vaultKey }],
    writer,
  });
  return { itemId, baseVersion, ...sealed, wrappedKeys: [...sealed.wrappedKeys] };
}
