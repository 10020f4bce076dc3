import { openItem, unwrapItemKey } from "@platform-rpc/client/crypto";
import type { Item } from "@platform-rpc/types";
import type { ConsoleSession } from "../session/session.js";

/** The content of an item: open, or why it cannot be opened. */
export type Content =
  | {
      readonly title: string;
      readonly fields: readonly (readonly [name: string, value: string])[];
      readonly closed?: never;
    }
  | { readonly closed: string; readonly title?: never; readonly fields?: never };

/** Where an item was requested. A server can misreport its place. */
export interface RequestedItem {
  readonly vaultId: string;
  readonly item: Item;
}

const altered =
  "The content cannot be decrypted: it was altered, or sealed for another place or key. Restore it from a backup of your own.";

export async function openContent(
  { vaultId, item }: RequestedItem,
  { tenantId, principalId, keys }: ConsoleSession,
): Promise<Content> {
  const { itemId, version, kind, titleHash, encryptedPayload } = item;
  if (encryptedPayload === undefined || encryptedPayload.ciphertext === "") {
    return { closed: "The content was destroyed when the retention of the vault ended." };
  }
  if (keys === undefined) return { closed: "Your keys are locked in this browser. Unlock them on the account page." };
  const wrapped = item.wrappedKeys.find(({ recipientId }) => recipientId === principalId);
  if (wrapped === undefined) return { closed: "The item was not shared with you: its key is not wrapped for you." };
  try {
    const itemKey = await unwrapItemKey(wrapped, { recipientId: principalId, privateKey: keys.decryptionKey });
    const place = { tenantId, vaultId, itemId, version };
    const { plaintext } = await openItem({ place, kind, titleHash, encryptedPayload, itemKey });
    return contentOf(new TextDecoder("utf-8", { fatal: true }).decode(plaintext));
  } catch {
    return { closed: altered };
  }
}

/** Reads the text of a content: an object with a title, and fields that are text. */
export function contentOf(text: string): Content {
  const unknown: Content = {
    closed: "The content has a form that this console does not know. Use the program that wrote it.",
  };
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return unknown;
  const { title, fields = {} } = parsed;
  if (typeof title !== "string" || !isRecord(fields)) return unknown;
  return { title, fields: Object.entries(fields).map(([name, value]) => [name, textOf(value)] as const) };
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
