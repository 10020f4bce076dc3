/**
 * Creates a function that pads JSON texts so that SQLite can erase them completely.
 *
 * `secure_delete` overwrites deleted rows, but not every copy: when SQLite moves rows between neighbouring b-tree pages,
 * their bytes stay in the unused middle of a page, where anyone who reads the file can find them. Overflow pages are never
 * moved, and are overwritten completely when they are freed. Therefore the text begins with blanks, which JSON ignores,
 * so many that its row has only blanks in the b-tree page and the text itself only in overflow pages.
 *
 * The row must be `(id INTEGER PRIMARY KEY, content TEXT, checksum INTEGER)` of a rowid table, in a database that is UTF-8,
 * with a checksum that takes six bytes.
 *
 * @see https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages
 */
export function createShreddableText(pageSize: number): (json: string) => string {
  // Names as in the file format: with a payload of P = M + k * (U - 4) bytes, exactly M of them stay in the b-tree page.
  const minLocal = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const overflowCapacity = pageSize - 4;
  const checksumLength = 6;

  return (json) => {
    const length = Buffer.byteLength(json);
    for (let pages = Math.ceil((length + checksumLength) / overflowCapacity); ; pages += 1) {
      const payload = minLocal + pages * overflowCapacity;
      const header = headerLength(payload - checksumLength);
      if (header === undefined) continue;
      const textLength = payload - checksumLength - header;
      return json.padStart(json.length + textLength - length);
    }
  };
}

/**
 * Returns the length of the record's header if header and text together have `bytes` bytes. The header contains its own length,
 * NULL for the key (which is the rowid), the type of the checksum, and the type of the text: a varint of 13 + 2n for n bytes.
 * Returns undefined if no text fits, because a longer text would need a longer varint.
 */
function headerLength(bytes: number): number | undefined {
  return [4, 5, 6, 7].find((header) => {
    const type = 13 + 2 * (bytes - header);
    return Math.ceil(Math.log2(type + 1) / 7) === header - 3;
  });
}
