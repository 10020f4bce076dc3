import { type Bar, type Chart, withDigits } from "./format.ts";

const width = 760;
const barLeft = 330;
const barRight = 680;
const rowHeight = 26;
const titleHeight = 44;

// The picture has no background, so that it also fits a dark page.
const style = `text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.peer { fill: #8c959f }
.own { fill: #0969da }
.spread { stroke: #1f2328; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .peer { fill: #6e7681 }
  .own { fill: #4493f8 }
  .spread { stroke: #e6edf3 }
}`;

/** Draws charts below each other as SVG, each with its own scale. A line across the end of a bar shows its quartiles. */
export function renderCharts(charts: readonly Chart[]): string {
  const parts: string[] = [];
  let top = 0;
  for (const { title, bars } of charts) {
    const largest = Math.max(...bars.map(({ value }) => value.high));
    const x = (value: number) => round(barLeft + (value / largest) * (barRight - barLeft));
    parts.push(`<text class="title" x="0" y="${top + 28}">${escaped(title)}</text>`);
    top += titleHeight;
    for (const bar of bars) {
      parts.push(...barAt(bar, top, x));
      top += rowHeight;
    }
  }
  const title = charts.map((chart) => chart.title).join("; ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + 8}" role="img" aria-label="${escaped(title)}">
<style>
${style}
</style>
${parts.join("\n")}
</svg>
`;
}

function barAt({ title, value, own }: Bar, top: number, x: (value: number) => number): string[] {
  const baseline = top + 16;
  const middle = top + 11;
  const digits = value.median < 1000 ? 1 : 0;
  return [
    `<text x="0" y="${baseline}">${escaped(title)}</text>`,
    `<rect class="${own ? "own" : "peer"}" x="${barLeft}" y="${top + 2}" width="${round(x(value.median) - barLeft)}" height="18"/>`,
    `<line class="spread" x1="${x(value.low)}" x2="${x(value.high)}" y1="${middle}" y2="${middle}"/>`,
    `<text x="${round(Math.max(x(value.median), x(value.high)) + 8)}" y="${baseline}">${withDigits(value.median, digits)}</text>`,
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
