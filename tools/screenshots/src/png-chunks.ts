import { crc32 } from "node:zlib";

/** A part of a PNG. */
export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The color type of a picture whose pixels are numbers of colors in its palette. */
export const indexedColor = 3;

const signature = Buffer.from("89504e470d0a1a0a", "hex");

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

/** Joins chunks to a PNG. */
export function writePng(chunks: readonly Chunk[]): Buffer {
  return Buffer.concat([signature, ...chunks.map(writeChunk)]);
}

function writeChunk({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}
