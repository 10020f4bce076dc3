import { writeBitwardenJson } from "@platform-rpc/items/bitwarden-json";
import { writeVaultFile } from "@platform-rpc/items/vault-file";
import type { ExportedItem } from "./read-contents.js";

export type ExportFormat = "encrypted-file" | "bitwarden-json";

/** Returns the text of a file with items. @param passphrase encrypts the file, if its format is encrypted */
export function makeFile(
  format: ExportFormat,
  items: readonly ExportedItem[],
  passphrase: string,
): string | Promise<string> {
  if (format === "bitwarden-json") return writeBitwardenJson(items);
  return writeVaultFile(
    items.map(({ kind, text, vault }) => ({ kind, content: text, vault })),
    passphrase,
  );
}

export function nameOfFile(format: ExportFormat, day: Date): string {
  const date = day.toISOString().slice(0, 10);
  return format === "bitwarden-json" ? `vault-unencrypted-${date}.json` : `vault-encrypted-${date}.json`;
}
