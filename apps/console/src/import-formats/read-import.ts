import { bitwarden } from "./bitwarden.js";
import { csv } from "./csv.js";
import type { Format, ImportFile, ReadItems, ReadOptions } from "./format.js";
import { ImportError } from "./format.js";
import { onePassword } from "./one-password.js";
import { vaultFile } from "./vault-file.js";

/** The first format that recognises a file reads it. */
const formats: readonly Format[] = [onePassword, vaultFile, bitwarden, csv];

/** What became of a file. */
export type ReadImport =
  | (ReadItems & { readonly outcome: "read"; readonly format: string })
  | { readonly outcome: "failed"; readonly message: string; readonly needsPassword: boolean };

/** Reads a file of another program. Never rejects. */
export async function readImport(bytes: Uint8Array<ArrayBuffer>, options: ReadOptions = {}): Promise<ReadImport> {
  try {
    const file: ImportFile = { bytes, text: textIn(bytes) };
    const format = formats.find((each) => each.recognises(file));
    if (format === undefined) {
      throw new ImportError(
        `The file is no text in UTF-8${brokenLine(bytes)}. Save it as “CSV UTF-8”, or export it again, and choose the new file.`,
      );
    }
    const read = await format.read(file, options);
    if (read.items.length === 0 && read.skipped.length === 0) {
      throw new ImportError("The file has no items. Export it again, and choose the new file.");
    }
    return { outcome: "read", format: format.name, ...read };
  } catch (error) {
    const [message, needsPassword] =
      error instanceof ImportError
        ? [error.message, error.needsPassword]
        : ["The file cannot be read: this page does not know its form. Export it again, as CSV or JSON.", false];
    return { outcome: "failed", message, needsPassword };
  }
}

/** Programs of Windows write UTF-16, with a mark at the start. */
function textIn(bytes: Uint8Array): string | undefined {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    const text = new TextDecoder(isUtf16 ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Says in which line the first byte is that is no UTF-8. */
function brokenLine(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, 1024 * 1024)).split("\uFFFD")[0] ?? "";
  return `: line ${start.split("\n").length} has other characters`;
}
