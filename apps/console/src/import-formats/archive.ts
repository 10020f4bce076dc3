import { encodeBase64url } from "@platform-rpc/items/base64url";
import { limits } from "@platform-rpc/items/item-content";
import { strFromU8, unzipSync } from "fflate";
import { type Archive, ImportError, type Skipped } from "./format.js";
import { type ItemBuilder, quoted } from "./item-builder.js";

/** In bytes. A zip file can claim to contain much more than it has bytes: nothing larger is decompressed. */
const most = {
  data: 64 * 1024 * 1024,
  file: Math.floor((limits.bytes * 3) / 4),
  files: 64 * 1024 * 1024,
  entries: 20_000,
};

/** What the program calls the list of its items: 1Password, Proton Pass (plain and encrypted), and Bitwarden. */
const dataNames = ["export.data", "Proton Pass/data.json", "Proton Pass/data.pgp", "data.json"];

export function isArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/** Decompresses a zip file. @throws ImportError if it is broken, too large, or of an unknown program */
export function openArchive(bytes: Uint8Array): Archive {
  const files = new Map<string, Uint8Array | undefined>();
  let total = 0;
  let tooLarge = false;
  const wanted = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }) => {
    const isData = dataNames.includes(name);
    if (isData) tooLarge ||= originalSize > most.data;
    else total += originalSize;
    files.set(name, undefined);
    tooLarge ||= files.size > most.entries;
    return !tooLarge && (isData || (originalSize <= most.file && total <= most.files));
  };
  let unzipped: ReturnType<typeof unzipSync>;
  try {
    unzipped = unzipSync(bytes, { filter: wanted });
  } catch {
    throw new ImportError("The file is not complete, or no zip file. Export it again, and choose the new file.");
  }
  if (tooLarge) {
    throw new ImportError("The file contains more than a browser can read at once. Export your vaults one by one.");
  }
  for (const [name, content] of Object.entries(unzipped)) files.set(name, content);
  const dataName = dataNames.find((name) => files.has(name)) ?? "";
  const data = files.get(dataName);
  if (data === undefined) {
    throw new ImportError(
      "The file is a zip file, but no export of 1Password, Bitwarden or Proton Pass. If it contains tables, unpack it, and choose each CSV file. A workbook of Excel can be saved as “CSV UTF-8”.",
    );
  }
  files.delete(dataName);
  return { dataName, data: strFromU8(data), files };
}

/** Adds a file of an archive to its item. Returns what to list if it cannot. */
export function attachFile(
  builder: ItemBuilder,
  content: Uint8Array | undefined,
  { where, fileName }: { readonly where: string; readonly fileName: string },
): readonly Skipped[] {
  if (content !== undefined) {
    builder.addFile(fileName, encodeBase64url(content));
    return [];
  }
  const why = `Its file ${quoted(fileName)} is too large for an item, or not in the file that you chose. The rest was read.`;
  return [{ where, isPart: true, why }];
}
