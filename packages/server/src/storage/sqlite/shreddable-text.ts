/**
 * Makes JSON texts that SQLite can be made to forget.
 *
 * `secure_delete` overwrites what is deleted, but not every copy of it: when SQLite moves rows between neighbouring
 * b-tree pages, what they leave behind in the unused middle of a page stays there, out of everybody's reach but of one
 * who reads the file. Overflow pages are never moved, and are overwritten as a whole when they are freed. So the text is
 * padded with blanks, which JSON ignores, to a length at which its row keeps only blanks in the b-tree page, and
 * the text itself in overflow pages alone.
 *
 * The row must be `(id INTEGER PRIMARY KEY, content TEXT)` of a rowid table, in a database that is UTF-8.
 *
 * @see https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages
 */
export function createShreddableText(pageSize: number): (json: string) => string {
  // The format's own names: with a payload of P = M + k * (U - 4) bytes, exactly M of them stay in the b-tree page.
  const minLocal = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const overflowCapacity = pageSize - 4;

  return (json) => {
    const length = Buffer.byteLength(json);
    for (let pages = Math.ceil(length / overflowCapacity); ; pages += 1) {
      const payload = minLocal + pages * overflowCapacity;
      const header = headerLength(payload);
      if (header === undefined) continue;
      return json.padStart(json.length + minLocal - header).padEnd(json.length + payload - header - length);
    }
  };
}

/**
 * The bytes of the record's header, when the record is to have `payload` bytes: its own length, NULL for the key (which
 * is the rowid), and the type of the text, which is a varint of 13 + 2n for n bytes. Undefined when no text makes
 * the two agree, because a longer one would need a longer varint.
 */
function headerLength(payload: number): number | undefined {
  return [3, 4, 5, 6].find((header) => {
    const type = 13 + 2 * (payload - header);
    return Math.ceil(Math.log2(type + 1) / 7) === header - 2;
  });
}
