import { openItem, unwrapItemKey } from "@platform-rpc/client/crypto";
import type { Item } from "@platform-rpc/types";

/** The content of an item: open, or why it cannot be opened. */
export type Content = OpenContent | ClosedContent;

interface ClosedContent {
  readonly closed: string;
  readonly title?: never;
  readonly fields?: never;
  readonly sealedVersion?: never;
  readonly olderThan?: never;
}

export interface OpenContent {
  readonly title: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The version of the item that was sealed. Deleting and restoring raise the version, and seal nothing. */
  readonly sealedVersion: number;
  /** The newer version that this browser has opened before. Undefined unless the server answered with an older one. */
  readonly olderThan?: number | undefined;
  readonly closed?: never;
}

/** What of an item is needed to open it. */
export type SealedItem = Pick<Item, "itemId" | "version" | "kind" | "titleHash" | "encryptedPayload" | "wrappedKeys">;

/** Who opens the items of a vault, and with what. */
export interface VaultReader {
  readonly tenantId: string;
  /** The vault that was requested. A server can misreport it. */
  readonly vaultId: string;
  /** The person, for whom the keys of items are wrapped. */
  readonly principalId: string;
  /** Undefined if the keys are locked in this browser. */
  readonly decryptionKey: CryptoKey | undefined;
}

const altered =
  "The content cannot be decrypted: it was altered, or sealed for another place or key. Restore it from a backup of your own.";

export async function openContent(
  { itemId, version, kind, titleHash, encryptedPayload, wrappedKeys }: SealedItem,
  { tenantId, vaultId, principalId, decryptionKey }: VaultReader,
): Promise<Content> {
  if (encryptedPayload === undefined || encryptedPayload.ciphertext === "") {
    return { closed: "The content was deleted for ever when the retention of the vault ended." };
  }
  if (decryptionKey === undefined) {
    return { closed: "Your keys are locked in this browser. Unlock them with your passkey or your recovery code." };
  }
  const wrapped = wrappedKeys.find(({ recipientId }) => recipientId === principalId);
  if (wrapped === undefined) return { closed: "The item was not shared with you: its key is not wrapped for you." };
  try {
    const itemKey = await unwrapItemKey(wrapped, { recipientId: principalId, privateKey: decryptionKey });
    const place = { tenantId, vaultId, itemId, version };
    const opened = await openItem({ place, kind, titleHash, encryptedPayload, itemKey });
    return contentOf(new TextDecoder("utf-8", { fatal: true }).decode(opened.plaintext), opened.version);
  } catch {
    return { closed: altered };
  }
}

/** Reads the text of a content: an object with a title, and fields that are text. */
export function contentOf(text: string, sealedVersion: number): Content {
  const unknown: Content = {
    closed: "The content has a form that your vault does not know. Use the program that wrote it.",
  };
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return unknown;
  const { title, fields = {} } = parsed;
  if (typeof title !== "string" || !isRecord(fields)) return unknown;
  const entries = Object.entries(fields).map(([name, value]) => [name, textOf(value)] as const);
  return { title, fields: entries, sealedVersion };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
