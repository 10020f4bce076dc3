import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Otherwise every start would strip the types of all modules again, which takes longer than most commands.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache", import.meta.url)));
await import("./cli.ts");
