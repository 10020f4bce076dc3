import { copySqliteToPostgres } from "../../../../../src/storage/postgres/from-sqlite/copy-sqlite-to-postgres.js";

// Copies a database in small batches, and prints how far it is.
const [path = "", url = "", contentKey = "", keysId = ""] = process.argv.slice(2);
await copySqliteToPostgres({
  path,
  url,
  contentKey: Buffer.from(contentKey, "hex"),
  keysId,
  now: 1,
  batchRows: 1,
  onProgress: (rows) => console.log(`${rows} rows`),
});
