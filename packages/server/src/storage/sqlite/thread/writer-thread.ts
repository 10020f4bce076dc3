import { serveWriter } from "./serve-writer.js";

// The file that `createThreadedSqliteStorage` starts as a thread. It is a separate file of the built package.
serveWriter();
