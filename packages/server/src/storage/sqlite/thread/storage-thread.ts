import { rules } from "../../../domain/rules.js";
import { serveStorage } from "./serve-storage.js";

// The file that `createThreadedSqliteStorage` starts as a thread. It is a separate file of the built package.
serveStorage(rules);
