import { type Chunk, indexedColor, readChunks, writePng } from "./png-chunks.ts";

/** A picture of an animation, and for how long it is shown, in milliseconds. */
export interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

/**
 * Joins pictures into one that shows them in turn, again and again.
 *
 * @throws Error when a picture differs from the first in size or color type, or has a palette, which would be that of one frame only.
 * @see https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
export function animatePng(frames: readonly Frame[]): Buffer {
  const pictures = frames.map(({ png, ms }) => ({ chunks: readChunks(png), ms }));
  const header = pictures[0]?.chunks.find(({ type }) => type === "IHDR")?.data;
  if (header === undefined) throw new Error("An animation needs at least one PNG.");
  if (header[9] === indexedColor) throw new Error("A picture with a palette cannot be part of an animation.");
  let sequence = 0;
  const animation = pictures.flatMap(({ chunks, ms }, index) => {
    if (!chunks.some(({ type, data }) => type === "IHDR" && data.equals(header)))
      throw new Error(`Picture ${index + 1} differs from the first in size or color type.`);
    const control: Chunk = { type: "fcTL", data: frameControl(sequence++, header, ms) };
    const data = chunks
      .filter(({ type }) => type === "IDAT")
      .map((chunk) => (index === 0 ? chunk : { type: "fdAT", data: Buffer.concat([uint32(sequence++), chunk.data]) }));
    return [control, ...data];
  });
  const forever = 0;
  const chunks: readonly Chunk[] = [
    { type: "IHDR", data: header },
    { type: "acTL", data: Buffer.concat([uint32(frames.length), uint32(forever)]) },
    ...animation,
    { type: "IEND", data: Buffer.alloc(0) },
  ];
  return writePng(chunks);
}

function frameControl(sequence: number, header: Buffer, ms: number): Buffer {
  const size = header.subarray(0, 8);
  const control = Buffer.concat([uint32(sequence), size, Buffer.alloc(14)]);
  // The offset, and how the frame replaces the one before, are 0: it covers everything. The delay is a fraction of a second.
  control.writeUInt16BE(ms, 20);
  control.writeUInt16BE(1000, 22);
  return control;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
