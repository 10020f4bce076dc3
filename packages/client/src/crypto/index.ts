export type { EncryptedPayload, ItemPlace } from "./item-fields.js";
export { exportItemKey, type ItemKey, importItemKey } from "./item-key.js";
export {
  createRecipientKeys,
  createWriterKeys,
  type RecipientKeysOptions,
  type TrustedWriter,
  type WrapAlgorithm,
  type Writer,
  type WriterKeysOptions,
} from "./key-pairs.js";
export { OpenError } from "./open-error.js";
export { type ItemToOpen, type OpenedItem, openItem } from "./open-item.js";
export type { PayloadFormat } from "./payload.js";
export { type ItemToSeal, type SealedItem, sealItem } from "./seal-item.js";
export { titleHash } from "./title-hash.js";
export { createVaultKey, openVaultKey, type VaultKey, type VaultKeyPlace, wrapVaultKey } from "./vault-key.js";
export { openVaultName, sealVaultName, type VaultNamePlace } from "./vault-name.js";
export type { WebCryptoKey, WebCryptoKeyPair } from "./web-crypto.js";
export {
  type KeyHolder,
  type Recipient,
  unwrapItemKey,
  type VaultKeyHolder,
  type WrappedKey,
  wrapItemKey,
} from "./wrap-item-key.js";
