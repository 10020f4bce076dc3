import { describe, expect, it } from "vitest";
import { animatePng } from "./animate-png.ts";
import { readChunks } from "./png-chunks.ts";
import { reduceColors } from "./reduce-colors.ts";
import { trueColorPng } from "./testing/true-color-png.ts";

const light = trueColorPng(6, 5, (x, y) => 0xffffff - x * y);
const dark = trueColorPng(6, 5, (x, y) => x * y);
const pixelsOf = (png: Buffer) =>
  Buffer.concat(
    readChunks(png)
      .filter(({ type }) => type === "IDAT")
      .map(({ data }) => data),
  );

describe("an animated PNG", () => {
  const chunks = readChunks(
    animatePng([
      { png: light, ms: 1500 },
      { png: dark, ms: 500 },
    ]),
  );
  const dataOf = (wanted: string) => chunks.filter(({ type }) => type === wanted).map(({ data }) => data);

  it("contains the number of frames, and repeats them", () => {
    expect(dataOf("acTL")).toEqual([Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])]);
  });

  it("contains the first picture for programs that show no animations, and the others as frames", () => {
    expect(Buffer.concat(dataOf("IDAT"))).toEqual(pixelsOf(light));
    expect(Buffer.concat(dataOf("fdAT").map((data) => data.subarray(4)))).toEqual(pixelsOf(dark));
  });

  it("numbers the control and data of its frames in one sequence", () => {
    const numbered = chunks.filter(({ type }) => type === "fcTL" || type === "fdAT");
    expect(numbered.map(({ data }) => data.readUInt32BE(0))).toEqual(numbered.map((_, index) => index));
  });

  it("shows each frame for its time, in fractions of a second", () => {
    const delays = dataOf("fcTL").map((data) => data.readUInt16BE(20) / data.readUInt16BE(22));
    expect(delays).toEqual([1.5, 0.5]);
  });
});

it("pictures of different sizes are an error", () => {
  expect(() =>
    animatePng([
      { png: light, ms: 1 },
      { png: trueColorPng(5, 6, () => 0), ms: 1 },
    ]),
  ).toThrow("Picture 2 differs from the first in size or color type.");
});

it("a picture with a palette is an error, because the frames would have different ones", () => {
  expect(() => animatePng([{ png: reduceColors(light), ms: 1 }])).toThrow("A picture with a palette");
});
