import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import {
  contentJson,
  type EncryptedPayload,
  type ItemContent,
  type ItemRef,
  noEarlier,
} from "../../domain/model/item.js";
import { StorageError } from "../../ports/storage.js";
import type { SealedContent } from "../engine/apply-write.js";
import { readContent } from "../stored-content.js";

/** The columns of a stored content. Content and salt are base64, and null once the item is shredded. */
export interface StoredContent extends ItemRef {
  readonly kind: string;
  readonly alg: string;
  readonly payloadVersion: number;
  readonly content: string | null;
  readonly salt: string | null;
}

/** Stored earlier contents. They are base64, like the salt of the item's content. Null: there are none. */
export interface StoredEarlier extends ItemRef, Pick<StoredContent, "salt"> {
  readonly earlier: string | null;
}

/** Encrypts content at rest, so that destroying one small row makes it unreadable wherever it was copied to. */
export interface ContentCipher {
  /** Encrypts a content and its earlier ones with a new key. @throws StorageError "unavailable" while the content key is not known. */
  seal(ref: ItemRef, content: ItemContent, earlier: string): SealedContent;
  /**
   * Decrypts a content. A shredded one is empty.
   *
   * @throws StorageError "damaged" when it is not what was stored for this item; "unavailable" while the content key is not known.
   */
  open(stored: StoredContent): ItemContent;
  /** Decrypts earlier contents. Throws like `open`. */
  openEarlier(stored: StoredEarlier): string;
}

const cipherName = "aes-256-gcm";
const tagLength = 16;
/** Each key encrypts one content and its earlier ones, each with another nonce, so fixed nonces never repeat. */
const nonces = { content: Buffer.alloc(12, 0), earlier: Buffer.alloc(12, 1) } as const;

/**
 * Creates the cipher. The key of a content is HMAC-SHA-256(`contentKey`, salt): a copy of the database alone, such as a stolen
 * backup, cannot be decrypted, and neither can content whose salt was deleted.
 *
 * @param contentKey 32 bytes or more, kept outside the database; a promise if it is not known yet.
 */
export function createContentCipher(contentKey: Uint8Array | Promise<Uint8Array>): ContentCipher {
  // Node.js takes 10 µs for a key in a Buffer, each time, and 0.6 µs to create a KeyObject.
  let known = contentKey instanceof Promise ? undefined : createSecretKey(contentKey);
  if (contentKey instanceof Promise) {
    contentKey.then(createSecretKey).then(
      (key) => {
        known = key;
      },
      () => {},
    );
  }
  const keyOf = (salt: Buffer): KeyObject => {
    if (known === undefined)
      throw new StorageError("unavailable", { cause: new Error("the content key is not known yet") });
    return createSecretKey(createHmac("sha256", known).update(salt).digest());
  };

  return {
    seal(ref, content, earlier) {
      const salt = randomBytes(32);
      const key = keyOf(salt);
      const context = contextOf(ref, content.kind, content.encryptedPayload);
      const sealed = {
        content: encrypt(contentJson(content), key, "content", context),
        salt: salt.toString("base64"),
      };
      return earlier === noEarlier
        ? sealed
        : { ...sealed, earlier: encrypt(earlier, key, "earlier", contextOfEarlier(ref)) };
    },

    open({ kind, alg, payloadVersion, content, salt, ...ref }) {
      const context = contextOf(ref, kind, { alg, version: payloadVersion });
      const json =
        content === null || salt === null ? undefined : decrypt(content, keyOf(fromBase64(salt)), "content", context);
      return readContent(json, () => ({ kind, alg, payloadVersion }));
    },

    openEarlier({ earlier, salt, ...ref }) {
      if (earlier === null) return noEarlier;
      return decrypt(earlier, keyOf(fromBase64(salt ?? "")), "earlier", contextOfEarlier(ref));
    },
  };
}

function encrypt(json: string, key: KeyObject, what: keyof typeof nonces, context: Buffer): string {
  const cipher = createCipheriv(cipherName, key, nonces[what]);
  cipher.setAAD(context);
  return Buffer.concat([cipher.update(json), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

function decrypt(content: string, key: KeyObject, what: keyof typeof nonces, context: Buffer): string {
  const sealed = fromBase64(content);
  try {
    const decipher = createDecipheriv(cipherName, key, nonces[what], { authTagLength: tagLength });
    decipher.setAAD(context);
    decipher.setAuthTag(sealed.subarray(-tagLength));
    return decipher.update(sealed.subarray(0, -tagLength), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new StorageError("damaged", { cause });
  }
}

/** Authenticates the columns that describe the content, and the item that it belongs to. */
function contextOf(ref: ItemRef, kind: string, { alg, version }: Pick<EncryptedPayload, "alg" | "version">): Buffer {
  return Buffer.from(JSON.stringify([ref.tenantId, ref.vaultId, ref.itemId, kind, alg, version]));
}

function contextOfEarlier(ref: ItemRef): Buffer {
  return Buffer.from(JSON.stringify([ref.tenantId, ref.vaultId, ref.itemId]));
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, "base64");
}
