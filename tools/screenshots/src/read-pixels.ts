import { inflateSync } from "node:zlib";
import { readChunks } from "./png-chunks.ts";

/** The pixels of a picture, line by line. A color is a number of three bytes: red, green, blue. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly colors: Uint32Array;
}

const bytesPerPixel = 3;
const trueColor = 2;

/**
 * Reads the pixels of a PNG as Chromium writes it: true color, 8 bits a channel, without transparency.
 *
 * @throws Error for another format.
 * @see https://www.w3.org/TR/png-3/#9Filter-types
 */
export function readPixels(png: Buffer): Pixels {
  const chunks = readChunks(png);
  const header = chunks.find(({ type }) => type === "IHDR")?.data;
  if (header?.[8] !== 8 || header[9] !== trueColor) throw new Error("The picture is not a PNG with 8 bits a channel.");
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const data = inflateSync(Buffer.concat(chunks.flatMap(({ type, data }) => (type === "IDAT" ? [data] : []))));
  const length = width * bytesPerPixel;
  const colors = new Uint32Array(width * height);
  let above = Buffer.alloc(length);
  for (let y = 0; y < height; y++) {
    const start = y * (length + 1);
    const line = data.subarray(start + 1, start + 1 + length);
    removeFilter(data[start] ?? 0, line, above);
    for (let x = 0; x < width; x++) colors[y * width + x] = line.readUIntBE(x * bytesPerPixel, bytesPerPixel);
    above = line;
  }
  return { width, height, colors };
}

/** Replaces the differences in a line by its bytes. */
function removeFilter(filter: number, line: Buffer, above: Buffer): void {
  for (let at = 0; at < line.length; at++) {
    const left = line[at - bytesPerPixel] ?? 0;
    const up = above[at] ?? 0;
    const upLeft = above[at - bytesPerPixel] ?? 0;
    line[at] = (line[at] ?? 0) + predicted(filter, left, up, upLeft);
  }
}

function predicted(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  return filter === 4 ? nearestOf(left, up, upLeft) : 0;
}

/** The Paeth predictor: the neighbor that is nearest to `left + up - upLeft`. */
function nearestOf(left: number, up: number, upLeft: number): number {
  const toLeft = Math.abs(up - upLeft);
  const toUp = Math.abs(left - upLeft);
  const toUpLeft = Math.abs(left + up - 2 * upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}
