/** Moves the blanks of new contents to a column of their own. The contents that are stored keep theirs. */
export const padding = `
CREATE TABLE new_contents (
  item INTEGER PRIMARY KEY REFERENCES items,
  padding TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
INSERT INTO new_contents SELECT item, '', content, checksum FROM contents;
DROP TABLE contents;
ALTER TABLE new_contents RENAME TO contents;
`;
