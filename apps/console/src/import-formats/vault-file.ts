import { readContent } from "@platform-rpc/items/item-content";
import { isVaultFile, readVaultFile, VaultFileError, type VaultFileItem } from "@platform-rpc/items/vault-file";
import { type Format, ImportError, type ImportedItem, type Skipped } from "./format.js";

/** The encrypted file that the vault itself exports. */
export const vaultFile: Format = {
  name: "Encrypted vault file",
  recognises: ({ text }) => text !== undefined && isVaultFile(text),
  async read({ text = "" }, { password }) {
    if (password === undefined) throw new ImportError("The file is encrypted. Enter its passphrase.", true);
    const items: ImportedItem[] = [];
    const skipped: Skipped[] = [];
    for (const [index, { kind, content: sealed }] of (await open(text, password)).entries()) {
      const content = readContent(sealed);
      if (content !== undefined) items.push({ kind, content });
      else skipped.push({ where: `Item ${index + 1}`, why: "Its content has a form that is not known here." });
    }
    return { items, skipped };
  },
};

function open(text: string, passphrase: string): Promise<readonly VaultFileItem[]> {
  return readVaultFile(text, passphrase).catch((error: unknown) => {
    throw error instanceof VaultFileError ? new ImportError(error.message, error.needsPassphrase) : error;
  });
}
