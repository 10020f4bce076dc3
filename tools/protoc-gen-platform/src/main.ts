#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// buf starts the plugin once for each output: without a cache, loading takes longer than generating.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache", import.meta.url)));
const { runNodeJs } = await import("@bufbuild/protoplugin");
const { plugin } = await import("./plugin.ts");

runNodeJs(plugin);
