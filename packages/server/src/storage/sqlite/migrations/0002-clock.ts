/** The last reading of the machine's clocks: at most one row. Fractions of milliseconds are stored. */
export const clock = `
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  run_id TEXT NOT NULL,
  wall INTEGER NOT NULL,
  monotonic REAL NOT NULL,
  trusted_at REAL NOT NULL,
  agreed_ms REAL
) STRICT;
`;
