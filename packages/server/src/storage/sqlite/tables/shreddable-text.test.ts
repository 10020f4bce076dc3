import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { integer } from "../database/columns.js";
import { createPadding } from "./shreddable-text.js";

/** Lengths around those at which SQLite changes the layout: a page, a longer varint. */
const length = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.integer({ min: 8150, max: 8250 }),
  fc.integer({ min: 1_048_500, max: 1_048_600 }),
);

describe.each([512, 1024, 2048, 4096, 65_536])("texts that can be shredded, with pages of %i bytes", (pageSize) => {
  const database = new DatabaseSync(":memory:");
  database.exec(
    `PRAGMA page_size = ${pageSize}; CREATE TABLE contents (item INTEGER PRIMARY KEY, padding TEXT, content TEXT, checksum INTEGER) STRICT`,
  );
  const replace = database.prepare(
    "REPLACE INTO contents (item, padding, content, checksum) VALUES (?, ?, ?, 1099511627776)",
  );
  const inOverflow = database.prepare(
    "SELECT sum(payload) AS bytes FROM dbstat WHERE name = 'contents' AND pagetype = 'overflow'",
  );
  const paddingOf = createPadding(pageSize);

  it("keep only blanks in the b-tree page", () => {
    fc.assert(
      fc.property(length, fc.constantFrom("x", "ž", "🐎"), (characters, character) => {
        const text = character.repeat(characters / Buffer.byteLength(character));
        const padding = paddingOf(text);
        expect(padding.trim()).toBe("");
        replace.run(2 ** 40, padding, text);
        const inTree = padding.length + Buffer.byteLength(text) + 6 - integer(inOverflow.get() ?? {}, "bytes");
        expect(inTree).toBeLessThanOrEqual(padding.length);
      }),
      { numRuns: 50 },
    );
  });
});
