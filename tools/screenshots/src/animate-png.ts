import { crc32 } from "node:zlib";

/** A picture of an animation, and for how long it is shown, in milliseconds. */
export interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const signature = Buffer.from("89504e470d0a1a0a", "hex");

/**
 * Joins pictures into one that shows them in turn, again and again.
 *
 * @throws Error when a picture differs from the first in size or color type.
 * @see https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
export function animatePng(frames: readonly Frame[]): Buffer {
  const pictures = frames.map(({ png, ms }) => ({ chunks: readChunks(png), ms }));
  const header = pictures[0]?.chunks.find(({ type }) => type === "IHDR")?.data;
  if (header === undefined) throw new Error("An animation needs at least one PNG.");
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
  return Buffer.concat([signature, ...chunks.map(writeChunk)]);
}

function frameControl(sequence: number, header: Buffer, ms: number): Buffer {
  const size = header.subarray(0, 8);
  const control = Buffer.concat([uint32(sequence), size, Buffer.alloc(14)]);
  // The offset, and how the frame replaces the one before, are 0: it covers everything. The delay is a fraction of a second.
  control.writeUInt16BE(ms, 20);
  control.writeUInt16BE(1000, 22);
  return control;
}

/** Reads the chunks of a PNG. */
export function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = signature.length; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function writeChunk({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
