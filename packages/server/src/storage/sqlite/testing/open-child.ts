import { createSqliteStorage } from "../create-sqlite-storage.js";

// Opens the storage at a path and keeps it open until the process is killed. Prints the error if that fails.
const [path = ""] = process.argv.slice(2);
try {
  createSqliteStorage({ path });
  console.log("open");
  setInterval(() => {}, 1000);
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error);
}
