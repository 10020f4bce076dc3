import { createSqliteStorage } from "../create-sqlite-storage.js";

// Opens the storage at a path and holds it until it is killed; when it cannot, tells why.
const [path = ""] = process.argv.slice(2);
try {
  createSqliteStorage({ path });
  console.log("open");
  setInterval(() => {}, 1000);
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error);
}
