import { registerHooks, stripTypeScriptTypes } from "node:module";
import "./resolve-typescript.mjs";

// A thread has no command line, so the types are stripped here. The warning that this is experimental is not printed.
process.removeAllListeners("warning");
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(".ts")) return nextLoad(url, context);
    const { source } = nextLoad(url, { ...context, format: "module" });
    const code = stripTypeScriptTypes(String(source), { mode: "transform" });
    return { format: "module", source: code, shortCircuit: true };
  },
});

await import("./suite-thread.ts");
