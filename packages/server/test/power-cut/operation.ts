/** One operation on the files of a folder. A file is identified by a number, because names change. */
export type Operation =
  | { readonly kind: "write"; readonly file: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly file: number; readonly size: number }
  /** Gives names to files, or removes names (undefined), in one atomic step. */
  | { readonly kind: "names"; readonly names: ReadonlyMap<string, number | undefined> }
  /** A flush of a file, or of the names in the folder. A failed one returned EIO. */
  | { readonly kind: "flush"; readonly of: number | "names"; readonly failed: boolean }
  /** The start of a process. */
  | { readonly kind: "start" }
  /** A line that the process wrote to the file `marksFile`. */
  | { readonly kind: "mark"; readonly text: string };

/** The name of the file to which a recorded process writes what it knows, such as "call 7 is acknowledged". */
export const marksFile = "marks";

/** The content of each file of a folder. */
export type Files = ReadonlyMap<string, Buffer>;
