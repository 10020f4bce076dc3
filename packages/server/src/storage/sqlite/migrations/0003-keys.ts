/** The keys that the database was last used with: at most one row. */
export const keys = `
CREATE TABLE keys (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  keys_id TEXT NOT NULL
) STRICT;
`;
