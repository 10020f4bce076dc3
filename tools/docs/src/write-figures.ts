import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, withFigures } from "./figures.ts";
import { readPages, root } from "./pages.ts";

// Writes the results of docs/benchmarks.md into the pages that show them.
const benchmarks = readFileSync(join(root, "docs/benchmarks.md"), "utf8");
for (const { path, text } of readPages()) {
  if (blocksOf(text).length > 0) writeFileSync(join(root, path), withFigures(text, benchmarks));
}
