/** Adds the contents that were replaced: apart from the contents, so that reads and deletions of items never visit their pages. */
export const earlierContents = `
CREATE TABLE earlier_contents (
  item INTEGER PRIMARY KEY REFERENCES items,
  padding TEXT NOT NULL,
  earlier TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
`;
