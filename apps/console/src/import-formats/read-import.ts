import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { isArchive, openArchive } from "./archive.js";
import { bitwarden } from "./bitwarden.js";
import { csv } from "./csv.js";
import { badBytes, decodeText } from "./decode-text.js";
import { enpass } from "./enpass.js";
import type { Format, ImportedItem, ImportFile, ReadItems, ReadOptions, Skipped } from "./format.js";
import { ImportError } from "./format.js";
import { quoted } from "./item-builder.js";
import { parseJson } from "./json.js";
import { keePass } from "./keepass.js";
import { onePassword } from "./one-password.js";
import { otherPrograms } from "./other-programs.js";
import { protonPass } from "./proton-pass.js";
import { vaultFile } from "./vault-file.js";

/** The first format that recognises a file reads it. */
const formats: readonly Format[] = [
  ...[onePassword, vaultFile, protonPass, enpass, keePass],
  ...[otherPrograms, bitwarden, csv],
];

export type ReadImport =
  | (ReadItems & { readonly outcome: "read"; readonly format: string })
  | { readonly outcome: "failed"; readonly message: string; readonly needsPassword: boolean };

/** Reads a file of another program. Never rejects. */
export async function readImport(bytes: Uint8Array<ArrayBuffer>, options: ReadOptions = {}): Promise<ReadImport> {
  try {
    const archive = isArchive(bytes) ? openArchive(bytes) : undefined;
    const text = archive?.data ?? textIn(bytes);
    const json = text !== undefined && /^\s*\{/.test(text) ? parseJson(text) : undefined;
    const file: ImportFile = { bytes, text, json, archive };
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
    const skipped = [...read.skipped, ...read.items.flatMap(withoutCode)];
    return { outcome: "read", format: format.name, ...read, skipped };
  } catch (error) {
    const [message, needsPassword] =
      error instanceof ImportError
        ? [error.message, error.needsPassword]
        : ["The file cannot be read: this page does not know its form. Export it again, as CSV or JSON.", false];
    return { outcome: "failed", message, needsPassword };
  }
}

/** Lists an item whose one-time code cannot be computed. */
function withoutCode({ content: { title, fields } }: ImportedItem): readonly Skipped[] {
  const isUnknown = fields.some(({ type, value }) => type === "totp" && parseOneTimeSecret(value) === undefined);
  if (!isUnknown) return [];
  const why = "No code can be computed from its one-time secret. It was read as a text that you can show and copy.";
  return [{ where: quoted(title), isPart: true, why }];
}

function textIn(bytes: Uint8Array): string | undefined {
  const { text } = decodeText(bytes);
  return text.includes(badBytes) || text.includes("\0") ? undefined : text;
}

function brokenLine(bytes: Uint8Array): string {
  const start = decodeText(bytes).text.split(badBytes)[0] ?? "";
  return `: line ${start.split("\n").length} has other characters`;
}
