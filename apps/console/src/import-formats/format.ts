import type { ItemContent } from "@platform-rpc/items/item-content";
import type { Columns, FirstRow, Meaning } from "./csv-columns.js";
import type { Encoding } from "./decode-text.js";

export interface ImportedItem {
  readonly kind: string;
  readonly content: ItemContent;
}

export interface Skipped {
  /** Such as `Line 12` or `"Example mail"`. */
  readonly where: string;
  /** A sentence. */
  readonly why: string;
  /** Set if the item is imported without it. */
  readonly isPart?: true;
}

/** Why an item is not imported that the person had put away. */
export const whyPutAway = {
  archived: "The item is archived. Take it out of the archive, and export it again.",
  deleted: "The item is in the trash. Restore it, and export it again.",
} as const;

export function passkeys(where: string, list: unknown, program: string): readonly Skipped[] {
  if (!Array.isArray(list) || list.length === 0) return [];
  const why = `Its passkey stays in ${program}. Everything else was read. Create a new passkey at the website.`;
  return [{ where, isPart: true, why }];
}

export interface ReadItems {
  readonly items: readonly ImportedItem[];
  readonly skipped: readonly Skipped[];
  /** How the columns of a table were read. Undefined for other formats. */
  readonly columns?: Columns | undefined;
}

export interface Archive {
  readonly dataName: string;
  /** The list of the items. */
  readonly data: string;
  /** Every other file by its path. Undefined: too large for an item. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
}

export interface ImportFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The bytes as text, or the list of items in a zip file. Undefined if they are none. */
  readonly text: string | undefined;
  /** The object in a text of JSON. Undefined for other texts. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** What else a zip file contains. Undefined for other files. */
  readonly archive: Archive | undefined;
}

export interface ReadOptions {
  /** Decrypts a file that has a password of its own. */
  readonly password?: string | undefined;
  /** What the person chose for each column of a table. Default: what the header says. */
  readonly meanings?: readonly Meaning[] | undefined;
  /** What the person said about the first row of a table. Default: what it looks like. */
  readonly firstRow?: FirstRow | undefined;
  /** What the person chose for the characters of a table. Default: UTF-8. */
  readonly encoding?: Encoding | undefined;
}

export interface Format {
  readonly name: string;
  recognises(file: ImportFile): boolean;
  /** @throws ImportError if the file is broken, or needs another password */
  read(file: ImportFile, options: ReadOptions): ReadItems | Promise<ReadItems>;
}

/** Why nothing of a file can be imported. The message says what is wrong, where, and what to do. */
export class ImportError extends Error {
  override readonly name = "ImportError";

  constructor(
    message: string,
    /** Whether the file can be read with another password. */
    readonly needsPassword = false,
  ) {
    super(message);
  }
}
