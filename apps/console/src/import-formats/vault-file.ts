import { contentProblem, type ItemContent, readContent } from "@platform-rpc/items/item-content";
import { isVaultFile, readVaultFile, VaultFileError, type VaultFileItem } from "@platform-rpc/items/vault-file";
import { type Format, ImportError, type ImportedItem, type Skipped } from "./format.js";
import { quoted } from "./item-builder.js";

export const vaultFile: Format = {
  name: "Encrypted vault file",
  recognises: ({ text }) => text !== undefined && isVaultFile(text),
  async read({ text = "" }, { password }) {
    if (password === undefined) throw new ImportError("The file is encrypted. Enter its passphrase.", true);
    const items: ImportedItem[] = [];
    const skipped: Skipped[] = [];
    for (const [index, { kind, content: sealed, vault }] of (await open(text, password)).entries()) {
      const content = withTag(readContent(sealed), vault);
      const where = content?.title ? quoted(content.title) : `Item ${index + 1}`;
      const why = content ? contentProblem(content) : "Its content has a form that is not known here.";
      if (content && why === undefined) items.push({ kind, content });
      else skipped.push({ where, why: why ?? "" });
    }
    return { items, skipped };
  },
};

/** Adds the name of the vault as a tag, unless the item has no space for it. */
function withTag(content: ItemContent | undefined, vault: string): ItemContent | undefined {
  const name = vault.trim();
  if (content === undefined || name === "") return content;
  const tagged = { ...content, tags: [...new Set([...(content.tags ?? []), name])] };
  return contentProblem(tagged) === undefined ? tagged : content;
}

function open(text: string, passphrase: string): Promise<readonly VaultFileItem[]> {
  return readVaultFile(text, passphrase).catch((error: unknown) => {
    throw error instanceof VaultFileError ? new ImportError(error.message, error.needsPassphrase) : error;
  });
}
