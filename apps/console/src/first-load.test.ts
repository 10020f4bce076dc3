import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { brandName } from "@platform-rpc/accounts/pages/brand";
import { expect, it } from "vitest";

const folder = new URL("../dist/console/", import.meta.url);
const page = readFileSync(new URL("index.html", folder), "utf8");

/** Returns the scripts of the page, and those that they import before they run. */
function firstLoad(): ReadonlyMap<string, Buffer> {
  const scripts = new Map<string, Buffer>();
  const add = (name: string) => {
    if (scripts.has(name)) return;
    const script = readFileSync(new URL(`assets/${name}`, folder));
    scripts.set(name, script);
    // `import(` loads later.
    for (const [, imported = ""] of script.toString().matchAll(/\b(?:from|import)\s*"\.\/([^"]+\.js)"/g)) add(imported);
  };
  for (const [, name = ""] of page.matchAll(/(?:src|href)="\/console\/assets\/([^"]+\.js)"/g)) add(name);
  return scripts;
}

it("the first load has at most 130 kB of JavaScript, compressed as it is served", () => {
  const sizes = [...firstLoad().values()].map((script) => brotliCompressSync(script).byteLength);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(130_000);
});

it("the page has its name and its frame before any script runs", () => {
  expect(page).toContain(`<title>Your vault · ${brandName}</title>`);
  expect(page).toMatch(new RegExp(`class="brand"[^<]*<img[^>]*>${brandName}</a>`));
});

it("nothing of the page is inline, and every asset has a hash in its name", () => {
  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
  expect(readdirSync(new URL("assets/", folder)).filter((name) => !/-[\w-]{8}\.(?:js|css|svg)$/.test(name))).toEqual(
    [],
  );
});
