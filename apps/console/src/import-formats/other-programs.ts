import { type Format, ImportError, type ImportFile } from "./format.js";

/** How a file of a program begins that is not read here, and what to do instead. */
const others: readonly (readonly [RegExp, string])[] = [
  [/^-----BEGIN PGP/, "Proton Pass, encrypted with PGP: export it again as JSON or ZIP, without a passphrase"],
  [/^.Ù¢š/, "KeePass, its encrypted database: open it in KeePass, and export it as “KeePass XML (2.x)”"],
  [/<pwlist\b/i, "KeePass 1: export it as CSV"],
  [/^SQLite format 3/, "Enpass or another program, its database: open it there, and export it as JSON or CSV"],
  [/^\s*\[\s*(?:\{|\]\s*$)/, "a program that is not known here, a list in JSON: export it as CSV"],
  [/^\s*<(?:!doctype html|html)\b/i, "RoboForm or another program, a page to print: export it as CSV"],
];

/** The same for JSON, by a member that only this program has. */
const otherJson: readonly (readonly [string, string])[] = [
  ["records", "Keeper: export it as CSV"],
  ["AUTHENTIFIANT", "Dashlane: export it as CSV, unpack the zip file, and choose one CSV file after the other"],
];

/** Files of other programs that are recognised, but not read. */
export const otherPrograms: Format = {
  name: "Another program",
  recognises: (file) => find(file) !== undefined,
  read(file) {
    throw new ImportError(`This is an export of ${find(file)}. Then choose the new file.`);
  },
};

function find({ text, bytes, json = {} }: ImportFile): string | undefined {
  const start = text?.slice(0, 65_536) ?? new TextDecoder("latin1").decode(bytes.subarray(0, 100));
  const [, words] = others.find(([looks]) => looks.test(start)) ?? otherJson.find(([name]) => name in json) ?? [];
  return words;
}
