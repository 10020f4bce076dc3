export type { EncryptedPayload } from "./encrypted-payload.js";
export { exportItemKey, type ItemKey, importItemKey } from "./item-key.js";
export type { ItemPlace } from "./item-place.js";
export { OpenFailure } from "./open-failure.js";
export { type ItemToOpen, type OpenedItem, openItem } from "./open-item.js";
export { createRecipientKeys, type RecipientKeysOptions, type WrapAlgorithm } from "./recipient-keys.js";
export { type ItemToSeal, type SealedItem, sealItem } from "./seal-item.js";
export { titleHash } from "./title-hash.js";
export { type KeyHolder, type Recipient, unwrapItemKey, type WrappedKey, wrapItemKey } from "./wrap-item-key.js";
