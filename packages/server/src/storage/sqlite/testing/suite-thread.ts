import { rules } from "../../../domain/rules.js";
import { rules as suiteRules } from "../../../testing/storage-suite/rules.js";
import { serveStorage } from "../thread/serve-storage.js";
import { blockThread } from "./block-thread.js";
import { endThread, failThread } from "./end-thread.js";

// Serves a storage with the rules of this package and those of the tests.
serveStorage([...rules, ...suiteRules, blockThread, endThread, failThread]);
