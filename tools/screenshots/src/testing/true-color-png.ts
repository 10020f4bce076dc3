import { deflateSync } from "node:zlib";
import { writePng } from "../png-chunks.ts";

/** Creates a PNG in true color. Each line has the next one of the five filters. */
export function trueColorPng(width: number, height: number, colorAt: (x: number, y: number) => number): Buffer {
  const header = Buffer.from([...Buffer.alloc(8), 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const plain = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) plain.writeUIntBE(colorAt(at % width, Math.floor(at / width)), at * 3, 3);
  const byteAt = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (plain[y * width * 3 + x] ?? 0));
  const filtered = Array.from({ length: height }, (_, y) => {
    const filter = y % 5;
    const line = Array.from({ length: width * 3 }, (_, x) => {
      const [left, up, upLeft] = [byteAt(x - 3, y), byteAt(x, y - 1), byteAt(x - 3, y - 1)];
      const nearest = [left, up, upLeft].toSorted(
        (one, other) => Math.abs(left + up - upLeft - one) - Math.abs(left + up - upLeft - other),
      )[0];
      return byteAt(x, y) - ([0, left, up, (left + up) >> 1, nearest][filter] ?? 0);
    });
    return Buffer.from([filter, ...line]);
  });
  return writePng([
    { type: "IHDR", data: header },
    { type: "IDAT", data: deflateSync(Buffer.concat(filtered)) },
    { type: "IEND", data: Buffer.alloc(0) },
  ]);
}
