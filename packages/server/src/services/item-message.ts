import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Cursor, EncryptedPayload, Item as ItemMessage, WrappedKey } from "@platform-rpc/types";
import { contentJson, type Item } from "../domain/model/item.js";
import { timestamp } from "../gen/json-writers.js";

/**
 * The message of an item. It brings its JSON, of which the content is what the storage has read: the generated writers send that. Only
 * what needs the fields parses the content: a binary response, or another host of the services.
 */
class StoredItemMessage implements ItemMessage {
  readonly $typeName = "platform.v1.Item";
  readonly itemId: string;
  readonly tenantId: string;
  readonly vaultId: string;
  readonly version: number;
  readonly deleted: boolean;
  readonly updatedAt: Timestamp;
  readonly encryptedPayload: EncryptedPayload;
  readonly #item: Item;

  constructor(item: Item) {
    this.itemId = item.itemId;
    this.tenantId = item.tenantId;
    this.vaultId = item.vaultId;
    this.version = item.version;
    this.deleted = item.state !== "live";
    this.updatedAt = timestampFromMs(item.updatedAt);
    this.encryptedPayload = new StoredPayloadMessage(item);
    this.#item = item;
  }

  get kind(): string {
    return this.#item.kind;
  }

  get titleHash(): string {
    return this.#item.titleHash;
  }

  get wrappedKeys(): WrappedKey[] {
    return this.#item.wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({
      $typeName: "platform.v1.WrappedKey",
      recipientId,
      wrapAlg,
      wrappedKey,
    }));
  }

  /** The JSON with the spelling of protobuf-es. */
  get $json(): string {
    const { itemId, tenantId, vaultId, version, updatedAt, deleted } = this;
    const content = contentJson(this.#item);
    // No string contains this, because it would contain the quotes escaped.
    const payloadAt = content.indexOf(',"encryptedPayload":');
    const status = JSON.stringify({ itemId, tenantId, vaultId, version });
    return `${status.slice(0, -1)},${content.slice(1, payloadAt)},"updatedAt":${timestamp(updatedAt)}${content.slice(payloadAt, -1)},"deleted":${deleted}}`;
  }
}

class StoredPayloadMessage implements EncryptedPayload {
  readonly $typeName = "platform.v1.EncryptedPayload";
  readonly #item: Item;

  constructor(item: Item) {
    this.#item = item;
  }

  get alg(): string {
    return this.#item.encryptedPayload.alg;
  }

  get nonce(): string {
    return this.#item.encryptedPayload.nonce;
  }

  get aad(): string {
    return this.#item.encryptedPayload.aad;
  }

  get ciphertext(): string {
    return this.#item.encryptedPayload.ciphertext;
  }

  get version(): number {
    return this.#item.encryptedPayload.version;
  }
}

/** Converts an item to its message. Has every field, also empty ones. */
export function itemMessage(item: Item): ItemMessage {
  return new StoredItemMessage(item);
}

/** Converts a position in a vault's history to its message. */
export function cursorMessage(vaultId: string, sequence: number): Cursor {
  return { $typeName: "platform.v1.Cursor", vaultId, sequence };
}
