/**
 * Marks the database as one of this program, and adds a checksum to each content. `sql-functions.ts` defines the functions,
 * which write content as the program does.
 *
 * The application id is "PLAT" in ASCII, as a big-endian number.
 */
export const checksums = `
PRAGMA application_id = 0x504c4154;
ALTER TABLE contents ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE contents SET content = shreddable_text(trim(content));
UPDATE contents SET checksum = (
  SELECT content_checksum(items.id, kind, payload_alg, payload_version, content) FROM items WHERE items.id = contents.item);
`;
