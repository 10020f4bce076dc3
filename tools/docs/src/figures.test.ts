import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBenchmarks } from "./benchmarks.ts";
import { blockNames, blocksOf, withFigures, withoutFigures } from "./figures.ts";
import { readPages, root } from "./pages.ts";

const benchmarksPage = readFileSync(join(root, "docs/benchmarks.md"), "utf8");
const pages = readPages().filter(({ path }) => path !== "docs/benchmarks.md");
const withBlocks = pages.filter(({ text }) => text.includes("<!-- figures: "));

describe("the pages with figures of the benchmarks", () => {
  it.each(withBlocks)("$path is as write-figures.ts writes it", ({ text }) => {
    expect(text).toBe(withFigures(text, benchmarksPage));
  });

  it("contain each block once", () => {
    expect(withBlocks.flatMap(({ text }) => blocksOf(text)).sort()).toEqual(blockNames.toSorted());
  });

  it.each(withBlocks)("$path has a complete block for each of its markers", ({ text }) => {
    expect(text.match(/<!-- figures: /g)).toHaveLength(blocksOf(text).length);
    expect(text.match(/<!-- end of figures -->/g)).toHaveLength(blocksOf(text).length);
  });
});

describe("a page that explains the benchmarks has no measured figure that somebody wrote", () => {
  // A time, a part, a rate, a size in powers of ten, or a ratio. Settings are in KiB and MiB, or have no unit.
  const measured = /(?:^|[^\d.])\d[\d .,–]*(?:µs|ms|%|percent\b|kB|MB|times\b|(?:deletions|requests|calls)?\/s\b)/g;

  it.each([
    ["takes 0.24 ms", 1],
    ["a quarter, 15 % of it, and 1.4 times", 2],
    ["12 725 deletions/s", 1],
    ["pages of 2 KiB, 2 000 at a time, RFC 9449", 0],
  ])("%j has %d such figures", (text, count) => {
    expect(text.match(measured) ?? []).toHaveLength(count);
  });

  it.each(["docs/performance.md", "docs/scaling.md"])("%s", (path) => {
    const text = pages.find((page) => page.path === path)?.text ?? "";
    expect(text).not.toBe("");
    expect(withoutFigures(text).match(measured) ?? []).toEqual([]);
  });
});

describe("a block of figures", () => {
  it("changes with the results, and the text around it does not", () => {
    const page = pages.find(({ path }) => path === "docs/performance.md")?.text ?? "";
    const slower = benchmarksPage.replace(/(\| our listener \| [^|]+\| )[\d.]+/, "$199.9");
    expect(slower).not.toBe(benchmarksPage);
    const changed = withFigures(page, slower);
    expect(changed).toContain("| our listener, a fixed response | 99.9 |");
    expect(withoutFigures(changed)).toBe(withoutFigures(page));
  });

  it("fails when the benchmarks lack a result, instead of leaving an old one", () => {
    const page = pages.find(({ path }) => path === "docs/scaling.md")?.text ?? "";
    const without = benchmarksPage.replace("| our listener, 100 vaults |", "| another name |");
    expect(() => withFigures(page, without)).toThrow(
      'docs/benchmarks.md has no "CPU µs per deletion: server" of "our listener, 100 vaults"',
    );
  });

  it("fails when its name is unknown", () => {
    const page = pages
      .find(({ path }) => path === "docs/scaling.md")
      ?.text.replace("figures: capacity.", "figures: x.");
    expect(() => withFigures(page ?? "", benchmarksPage)).toThrow('There is no block of figures "x".');
  });
});

describe("reading the benchmarks", () => {
  const benchmarks = readBenchmarks(
    "# B\n\n## Aims\n\n| what | aim |\n|---|---|\n| a : b | ≥ 2 |\n\n## One\n\nText.\n\n| server | rate |\n|---|---|\n| ours | 12 725 (10 713–13 418) |\n| theirs | – |\n",
  );

  it("returns the median of a figure, as text and as a number", () => {
    expect(benchmarks.figure("One", "ours", "rate")).toBe("12 725");
    expect(benchmarks.value("One", "ours", "rate")).toBe(12725);
    expect(benchmarks.aims("a : b")).toEqual([["a : b", "≥ 2"]]);
  });

  it("throws for what is missing or is no number", () => {
    expect(() => benchmarks.figure("One", "ours", "p99")).toThrow('no "p99" of "ours" in "One"');
    expect(() => benchmarks.value("One", "theirs", "rate")).toThrow("is not a number");
    expect(() => benchmarks.aims("other")).toThrow('no aim for "other"');
  });
});
