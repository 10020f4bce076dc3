import type { Page } from "playwright-core";
import sharp, { type OverlayOptions } from "sharp";

/** The windows of a computer, a tablet and a phone, in pixels. */
const windows = [
  { width: 1280, height: 800 },
  { width: 820, height: 800 },
  { width: 390, height: 800 },
] as const;

/** The width and height of a picture on the sheet, to those of the window. */
const scale = 0.25;
const gap = 8;
const titleHeight = 20;

interface Row {
  readonly title: string;
  readonly pictures: readonly Buffer[];
}

/** One picture of many states: each in a row, in all windows, light and dark. */
export interface Sheet {
  /** Adds what a page shows now. */
  add(title: string, page: Page): Promise<void>;
  /** Returns the sheet as WebP. */
  draw(): Promise<Buffer>;
}

export function createSheet(): Sheet {
  const rows: Row[] = [];
  return {
    async add(title, page) {
      const size = page.viewportSize() ?? windows[0];
      const pictures: Buffer[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const window of windows) {
          await page.setViewportSize(window);
          const picture = await page.screenshot({ animations: "disabled", scale: "css" });
          pictures.push(await sharp(picture).resize(scaled(window)).toBuffer());
        }
      }
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize(size);
      rows.push({ title, pictures });
    },

    draw() {
      const widths = [...windows, ...windows].map(scaled);
      const lefts = widths.map((_, at) => gap + sum(widths.slice(0, at)) + at * gap);
      const rowHeight = titleHeight + windows[0].height * scale + gap;
      const overlays = rows.flatMap(({ title, pictures }, row): OverlayOptions[] => [
        { input: titleSvg(title), left: gap, top: row * rowHeight },
        ...pictures.map((input, at) => ({ input, left: lefts[at] ?? 0, top: row * rowHeight + titleHeight })),
      ]);
      const width = sum(widths) + gap * (widths.length + 1);
      const canvas = { width, height: rows.length * rowHeight, channels: 3, background: "#8a8f98" } as const;
      return sharp({ create: canvas }).composite(overlays).webp({ quality: 80 }).toBuffer();
    },
  };
}

function scaled({ width }: (typeof windows)[number]): number {
  return Math.round(width * scale);
}

function titleSvg(title: string): Buffer {
  const text = `<text y="15" font-family="sans-serif" font-size="13" fill="#16181d">${title}</text>`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="${titleHeight}">${text}</svg>`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
