/**
 * Creates a function that returns the padding with which SQLite can erase a text completely.
 *
 * `secure_delete` overwrites deleted rows, but not every copy: when SQLite moves rows between neighbouring b-tree pages,
 * their bytes stay in the unused middle of a page, where anyone who reads the file can find them. Overflow pages are never
 * moved, and are overwritten completely when they are freed. Therefore the column before the text has so many blanks that the b-tree page
 * has only blanks, and the text is only in overflow pages.
 *
 * The row must be `(id INTEGER PRIMARY KEY, padding TEXT, text TEXT, checksum INTEGER)` of a rowid table, in a database that is UTF-8,
 * with a checksum that takes six bytes.
 *
 * @see https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages
 */
export function createPadding(pageSize: number): (text: string) => string {
  // Names as in the file format: with a payload of P = M + k * (U - 4) bytes, exactly M of them stay in the b-tree page.
  const minLocal = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const overflowCapacity = pageSize - 4;
  const checksumLength = 6;

  return (text) => {
    const length = Buffer.byteLength(text);
    for (let pages = Math.ceil((length + checksumLength) / overflowCapacity); ; pages += 1) {
      const payload = minLocal + pages * overflowCapacity;
      // The header contains its own length, NULL for the key (which is the rowid), and the types of the other columns.
      const bytes = payload - checksumLength - length - (3 + typeLength(length));
      const padding = [1, 2, 3, 4].map((size) => bytes - size).find((each, index) => typeLength(each) === index + 1);
      // None fits if a longer padding would need a longer varint.
      if (padding !== undefined) return " ".repeat(padding);
    }
  };
}

/** Returns the length of the type of a text with `bytes` bytes: a varint of 13 + 2n. */
function typeLength(bytes: number): number {
  return Math.ceil(Math.log2(13 + 2 * bytes + 1) / 7);
}
