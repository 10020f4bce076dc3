import { describe, expect, it } from "vitest";
import { renderCharts } from "./chart.ts";
import { aimRows, alignedTable, markdownTable, withDigits, withSpread } from "./format.ts";
import { renderPage } from "./page.ts";
import type { BenchResult } from "./result.ts";

const result: BenchResult = {
  title: "Durable deletions",
  method: "Each response is sent after its deletion is on disk.",
  columns: ["server", "deletions/s"],
  rows: [["our listener", "9 673 (9 000–9 900)"]],
  measured: [
    ["deleteRate", { median: 8.625, low: 8.5, high: 8.75 }],
    ["deleteCpu", { median: 5, low: 5, high: 5 }],
    ["deleteP99", { median: 11.04, low: 9, high: 120 }],
    ["start", { median: 850, low: 840, high: 900 }],
    ["clientJson", { median: 1.1, low: 1, high: 1.3 }],
  ],
  chart: {
    title: "Deletions < per second & core",
    bars: [
      { title: "ours", own: true, value: { median: 1000, low: 900, high: 2000 } },
      { title: "peer", own: false, value: { median: 500, low: 500, high: 500 } },
    ],
  },
};

describe("numbers", () => {
  it.each([
    [1234567.4, 0, "1 234 567"],
    [999.96, 1, "1 000.0"],
    [17.25, 1, "17.3"],
    [0.8, 2, "0.80"],
    [1234.5678, 3, "1 234.568"],
  ])("%d with %d digits: %s", (value, digits, text) => {
    expect(withDigits(value, digits)).toBe(text);
  });

  it("the quartiles are in parentheses", () => {
    expect(withSpread({ median: 17.3, low: 16.9, high: 18 }, 1)).toBe("17.3 (16.9–18.0)");
  });
});

it("an aim is reached or not; a value without an aim is only shown", () => {
  expect(aimRows([result]).map((row) => row.slice(1))).toEqual([
    ["deletions/s", "≥ 12", "8.63 (8.50–8.75)", "no"],
    ["CPU per deletion", "–", "5.00 (5.00–5.00)", "–"],
    ["p99", "≤ 12 ms", "11.0 (9.0–120.0) ms", "yes"],
    ["first 200", "≤ 300 ms", "850 (840–900) ms", "no"],
    ["CPU per call", "≤ 1.2", "1.10 (1.00–1.30)", "yes"],
  ]);
});

it("tables are aligned in the terminal, and Markdown on the page", () => {
  const rows = [
    ["a", "1"],
    ["long", "22"],
  ];
  expect(alignedTable(["name", "n"], rows)).toBe("  name  n\n  a     1\n  long  22");
  expect(markdownTable(["name", "n"], rows)).toBe("| name | n |\n|---|---|\n| a | 1 |\n| long | 22 |");
});

describe("the page", () => {
  const page = renderPage([["CPU", "fast"]], [result]);

  it("contains the aims, each table, the machine and the chart", () => {
    expect(page).toContain("| CPU | fast |");
    expect(page).toContain("## Durable deletions\n\nEach response is sent");
    expect(page).toContain("| our listener | 9 673 (9 000–9 900) |");
    expect(page).toContain("| ≤ 300 ms | 850 (840–900) ms | no |");
    expect(page).toContain("](benchmarks.svg)");
  });

  it("ends with one line break, and has no two empty lines in a row", () => {
    expect(page).toMatch(/[^\n]\n$/);
    expect(page).not.toContain("\n\n\n");
  });
});

describe("the chart", () => {
  const svg = renderCharts(result.chart ? [result.chart] : []);

  it("scales the bars to the largest value, and draws the quartiles", () => {
    expect(svg).toContain('<rect class="own" x="330" y="46" width="175" height="18"/>');
    expect(svg).toContain('<line class="spread" x1="487.5" x2="680" y1="55" y2="55"/>');
    expect(svg).toContain('<rect class="peer" x="330" y="72" width="87.5" height="18"/>');
  });

  it("escapes text, and has colours for dark pages", () => {
    expect(svg).toContain("Deletions &lt; per second &amp; core</text>");
    expect(svg).toContain("prefers-color-scheme: dark");
    expect(svg).not.toMatch(/& |<(?!\/?(svg|style|text|rect|line)\b)/);
  });
});
