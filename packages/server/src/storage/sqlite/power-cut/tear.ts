/** The smallest unit that a disk writes, in bytes. A torn write can also end inside a sector. */
const sector = 512;

/** Bytes at a place in a file. */
export interface Placed {
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Returns what a torn write leaves: its first bytes, some of its sectors, or other bytes in some of its sectors. Bytes
 * outside of the write never change: SQLite relies on that too.
 *
 * @see https://www.sqlite.org/psow.html
 */
export function tear({ offset, bytes }: Placed, random: () => number): readonly Placed[] {
  const way = random();
  if (way < 0.4) return [{ offset, bytes: bytes.subarray(0, Math.floor(random() * bytes.length)) }];
  const sectors = splitAtSectors({ offset, bytes }).filter(() => random() < 0.5);
  if (way < 0.8) return sectors;
  return sectors.map((part) => (random() < 0.5 ? part : { ...part, bytes: garbage(part.bytes.length, random) }));
}

function splitAtSectors({ offset, bytes }: Placed): Placed[] {
  const parts: Placed[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + sector - ((offset + at) % sector));
    parts.push({ offset: offset + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return parts;
}

/** Returns zeros, as in a block that was allocated but not written, or random bytes. */
function garbage(length: number, random: () => number): Buffer {
  return random() < 0.5 ? Buffer.alloc(length) : Buffer.from(Array.from({ length }, () => random() * 256));
}
