import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

// Part of the build: writes the compressed forms of each asset next to it, so that the app never compresses while it serves.
const folder = new URL("dist/assets/", import.meta.url).pathname;
for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  if (!/\.(?:css|js|svg)$/.test(name)) continue;
  const path = join(folder, name);
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
