import { webcrypto } from "node:crypto";
import type { ItemContent, ItemRef } from "@platform/server";
import type { DemoKeys } from "./demo-keys.js";
import { demoUser } from "./demo-names.js";

const { subtle } = webcrypto;

/** What only the user can read. */
export interface PlainItem {
  readonly title: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Encrypts an item as a user's own software does: with a fresh item key (A256GCM), which is wrapped for the user
 * (RSA-OAEP-256), and bound to its place, so that a server cannot pass one item off as another.
 */
export async function sealItem(keys: DemoKeys, ref: ItemRef, kind: string, plain: PlainItem): Promise<ItemContent> {
  const aad = Buffer.from(JSON.stringify([ref.tenantId, ref.vaultId, ref.itemId]));
  const nonce = webcrypto.getRandomValues(new Uint8Array(12));
  const itemKey = await subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: aad };
  const ciphertext = await subtle.encrypt(algorithm, itemKey, Buffer.from(JSON.stringify(plain)));
  const wrappedKey = await subtle.wrapKey("raw", itemKey, keys.wrappingKey, { name: "RSA-OAEP" });
  const titleHash = await subtle.sign("HMAC", keys.titleKey, Buffer.from(plain.title.normalize("NFC")));
  return {
    kind,
    titleHash: base64url(titleHash),
    encryptedPayload: {
      alg: "A256GCM",
      nonce: base64url(nonce),
      aad: base64url(aad),
      ciphertext: base64url(ciphertext),
      version: 1,
    },
    wrappedKeys: [{ recipientId: demoUser, wrapAlg: "RSA-OAEP-256", wrappedKey: base64url(wrappedKey) }],
  };
}

function base64url(bytes: ArrayBuffer | Uint8Array): string {
  return Buffer.from(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)).toString("base64url");
}
