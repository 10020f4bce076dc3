import { writeBitwardenJson } from "@platform-rpc/items/bitwarden-json";
import { writeVaultFile } from "@platform-rpc/items/vault-file";
import { replacedPasswords } from "../history/replaced-passwords.js";
import type { ExportedItem } from "./read-contents.js";

export type ExportFormat = "encrypted-file" | "bitwarden-json";

/** Returns the text of a file with items. @param passphrase encrypts the file, if its format is encrypted */
export function makeFile(
  format: ExportFormat,
  items: readonly ExportedItem[],
  passphrase: string,
): string | Promise<string> {
  if (format === "bitwarden-json")
    return writeBitwardenJson(
      items.map((item) => ({ ...item, passwords: replacedPasswords(item.earlier, item.content) })),
    );
  return writeVaultFile(
    items.map(({ kind, text, vault, earlier }) => ({
      ...{ kind, content: text, vault },
      earlier: earlier.map(({ content, replacedAt }) => {
        return { content: content.text ?? "", replacedAt: replacedAt.toISOString() };
      }),
    })),
    passphrase,
  );
}

export function nameOfFile(format: ExportFormat, day: Date): string {
  const date = day.toISOString().slice(0, 10);
  return format === "bitwarden-json" ? `vault-unencrypted-${date}.json` : `vault-encrypted-${date}.json`;
}
