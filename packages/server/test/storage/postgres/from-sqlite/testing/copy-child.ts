import { copySqliteToPostgres } from "../../../../../src/storage/postgres/from-sqlite/copy-sqlite-to-postgres.js";

// Copies a database, until it is killed.
const [path = "", url = "", contentKey = "", keysId = ""] = process.argv.slice(2);
await copySqliteToPostgres({ path, url, contentKey: Buffer.from(contentKey, "hex"), keysId, now: 1 });
