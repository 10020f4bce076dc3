import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const folder = new URL("../dist/console/", import.meta.url);
const page = readFileSync(new URL("index.html", folder), "utf8");

it("the first load has at most 150 kB of compressed JavaScript", () => {
  const scripts = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g)].map(([, path = ""]) => path);
  expect(scripts.length).toBeGreaterThan(0);
  const sizes = scripts.map((path) => gzipSync(readFileSync(new URL(path, folder)), { level: 9 }).byteLength);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(150_000);
});

it("nothing of the page is inline, and every asset has a hash in its name", () => {
  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
  expect(readdirSync(new URL("assets/", folder)).filter((name) => !/-[\w-]{8}\.(?:js|css)$/.test(name))).toEqual([]);
});
