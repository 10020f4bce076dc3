import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import "./resolve-typescript.mjs";

// A thread gets no flags of the command line, so the types are stripped here. Node's warning that this is experimental is hidden.
process.removeAllListeners("warning");

/** Stripping the types is most of what opening a storage costs. The tests have an empty cache folder for each run. */
const cache = join(process.env.XDG_CACHE_HOME ?? tmpdir(), "stripped-types");

/** @param {string} source */
function strip(source) {
  const file = join(cache, createHash("sha256").update(source).digest("hex"));
  try {
    return readFileSync(file, "utf8");
  } catch {
    const code = stripTypeScriptTypes(source, { mode: "transform" });
    mkdirSync(cache, { recursive: true });
    const partial = `${file}.${process.pid}-${threadId}`;
    writeFileSync(partial, code);
    renameSync(partial, file);
    return code;
  }
}

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(".ts")) return nextLoad(url, context);
    const { source } = nextLoad(url, { ...context, format: "module" });
    return { format: "module", source: strip(String(source)), shortCircuit: true };
  },
});

await import("./suite-thread.ts");
