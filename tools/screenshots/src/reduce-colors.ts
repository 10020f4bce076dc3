import { constants, deflateSync } from "node:zlib";
import { indexedColor, readChunks, writePng } from "./png-chunks.ts";
import { readPixels } from "./read-pixels.ts";

const mostColors = 256;

/** A color of a picture. */
interface Color {
  readonly value: number;
  readonly pixels: number;
  /** The color of the palette that stands for it, and the square of the distance to it. */
  index: number;
  distance: number;
}

/**
 * Gives a picture a palette of 256 colors, which makes the file of a screenshot less than half as large. A picture with more colors gets
 * the palette that differs least: see `choosePalette`.
 *
 * @see https://www.w3.org/TR/png-3/#11PLTE
 */
export function reduceColors(png: Buffer): Buffer {
  const { width, height, colors } = readPixels(png);
  const { palette, indexes } = choosePalette(colors);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      // The first byte of each line is its filter: none, which is best for a palette.
      lines[y * (width + 1) + 1 + x] = indexes.get(colors[y * width + x] ?? 0) ?? 0;
    }
  }
  const header = Buffer.from(readChunks(png)[0]?.data ?? []);
  header[9] = indexedColor;
  const bytes = Buffer.alloc(palette.length * 3);
  for (const [at, color] of palette.entries()) bytes.writeUIntBE(color, at * 3, 3);
  return writePng([
    { type: "IHDR", data: header },
    { type: "PLTE", data: bytes },
    { type: "IDAT", data: deflateSync(lines, { level: constants.Z_BEST_COMPRESSION, memLevel: 9 }) },
    { type: "IEND", data: Buffer.alloc(0) },
  ]);
}

/**
 * Chooses colors of the picture, one after the other: the one whose pixels differ most, together, from the colors chosen before. So the
 * colors of large areas are exact, and a rare color is in the palette if no other is like it.
 */
function choosePalette(pixels: Uint32Array): {
  readonly palette: readonly number[];
  readonly indexes: ReadonlyMap<number, number>;
} {
  const counts = new Map<number, number>();
  for (const value of pixels) counts.set(value, (counts.get(value) ?? 0) + 1);
  const colors = [...counts].map(([value, count]): Color => ({ value, pixels: count, index: 0, distance: Infinity }));
  const palette: number[] = [];
  while (palette.length < mostColors) {
    const worst = colors.reduce((one, other) => (errorOf(other) > errorOf(one) ? other : one));
    if (worst.distance === 0) break;
    for (const color of colors) {
      const distance = distanceOf(color.value, worst.value);
      if (distance < color.distance) Object.assign(color, { index: palette.length, distance });
    }
    palette.push(worst.value);
  }
  return { palette, indexes: new Map(colors.map(({ value, index }) => [value, index])) };
}

function errorOf({ pixels, distance }: Color): number {
  return pixels * distance;
}

/** Returns the square of the distance of two colors. */
function distanceOf(one: number, other: number): number {
  const channels = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255));
  return channels.reduce((sum, difference) => sum + difference ** 2, 0);
}
