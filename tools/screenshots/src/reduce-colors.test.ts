import { readdirSync, readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { indexedColor, readChunks } from "./png-chunks.ts";
import { readPixels } from "./read-pixels.ts";
import { reduceColors } from "./reduce-colors.ts";
import { trueColorPng } from "./testing/true-color-png.ts";

/** Returns the colors of a PNG with a palette, and the number of colors that it has. */
function readIndexed(png: Buffer) {
  const dataOf = (wanted: string) => readChunks(png).find(({ type }) => type === wanted)?.data ?? Buffer.alloc(0);
  const [header, palette, lines] = [dataOf("IHDR"), dataOf("PLTE"), inflateSync(dataOf("IDAT"))];
  const width = header.readUInt32BE(0);
  const indexes = [...lines].filter((_, at) => at % (width + 1) !== 0);
  return { header, size: palette.length / 3, colors: indexes.map((index) => palette.readUIntBE(index * 3, 3)) };
}

describe("reading the pixels of a PNG", () => {
  it("undoes each of the five filters", () => {
    const colorAt = (x: number, y: number) => (x * 7919 + y * 104729) % 0x1000000;
    const { width, height, colors } = readPixels(trueColorPng(13, 11, colorAt));
    expect([width, height]).toEqual([13, 11]);
    expect([...colors]).toEqual(Array.from({ length: 143 }, (_, at) => colorAt(at % 13, Math.floor(at / 13))));
  });

  it("rejects a picture that already has a palette", () => {
    expect(() => readPixels(reduceColors(trueColorPng(2, 2, () => 0)))).toThrow("8 bits a channel");
  });
});

describe("a picture with a palette", () => {
  it("is the same picture if it had at most 256 colors", () => {
    const colorAt = (x: number, y: number) => [0xffffff, 0x3a4fd0, 0x16181d][(x + y) % 3] ?? 0;
    const { header, size, colors } = readIndexed(reduceColors(trueColorPng(20, 9, colorAt)));
    expect([header.readUInt32BE(0), header.readUInt32BE(4), header[9]]).toEqual([20, 9, indexedColor]);
    expect(size).toBe(3);
    expect(colors).toEqual(Array.from({ length: 180 }, (_, at) => colorAt(at % 20, Math.floor(at / 20))));
  });

  it("keeps the colors of large areas, and a rare color that is like no other", () => {
    const background = 0xfbfbfc;
    const rare = 0xd03a3a;
    // 1 000 shades, of one pixel each.
    const colorAt = (x: number, y: number) => {
      const at = y * 100 + x;
      if (at === 5000) return rare;
      return at < 1000 ? (at % 250) * 0x10101 + Math.floor(at / 250) : background;
    };
    const original = readPixels(trueColorPng(100, 100, colorAt)).colors;
    const { size, colors } = readIndexed(reduceColors(trueColorPng(100, 100, colorAt)));
    expect(size).toBe(256);
    expect(colors[5000]).toBe(rare);
    expect(colors.filter((color) => color === background)).toHaveLength(8999);
    const off = colors.map((color, at) => Math.abs((color & 255) - ((original[at] ?? 0) & 255)));
    expect(Math.max(...off)).toBeLessThan(4);
  });
});

it("every picture in docs/images but the recording is as `pnpm screenshots` writes it, with a palette", () => {
  const folder = new URL("../../../docs/images/", import.meta.url);
  const typeOf = (name: string) => readChunks(readFileSync(new URL(name, folder)))[0]?.data[9];
  const others = readdirSync(folder).filter((name) => typeOf(name) !== indexedColor);
  expect(others).toEqual(["journey.png"]);
});
