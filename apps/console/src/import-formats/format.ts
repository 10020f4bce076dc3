import type { ItemContent } from "@platform-rpc/items/item-content";
import type { Columns, Meaning } from "./csv-columns.js";

/** An item that a file contains, as it will be stored. */
export interface ImportedItem {
  readonly kind: string;
  readonly content: ItemContent;
}

/** Something in a file that cannot be imported. */
export interface Skipped {
  /** Such as `Line 12` or `"Example mail"`. */
  readonly where: string;
  /** A sentence. */
  readonly why: string;
}

export interface ReadItems {
  readonly items: readonly ImportedItem[];
  readonly skipped: readonly Skipped[];
  /** How the columns of a table were read. Undefined for other formats. */
  readonly columns?: Columns | undefined;
}

export interface ImportFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The bytes as text. Undefined if they are none. */
  readonly text: string | undefined;
}

export interface ReadOptions {
  /** Decrypts a file that has a password of its own. */
  readonly password?: string | undefined;
  /** What the person chose for each column of a table. Default: what the header says. */
  readonly meanings?: readonly Meaning[] | undefined;
}

/** A kind of file that another program writes. */
export interface Format {
  readonly name: string;
  recognises(file: ImportFile): boolean;
  /**
   * Reads the items of a file.
   *
   * @throws ImportError if the file is broken, or needs another password
   */
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
