import { createDisk } from "./disk.js";
import type { Files, Operation } from "./operation.js";

/** The smallest unit that a disk writes, in bytes. A torn write can also end inside a sector. */
const sector = 512;

export interface PowerCut {
  /** The number of operations before it. */
  readonly after: number;
  /** The probability with which an operation that was not flushed survives. */
  readonly survives: number;
  /** The probability with which a write that does not survive leaves a part of its bytes, or other bytes in their place. */
  readonly tears: number;
  /** The seed of the random choice of what survives. */
  readonly seed: number;
}

/** What a power cut leaves. */
export interface CrashState {
  readonly files: Files;
  /** The marks before the power cut. */
  readonly marks: readonly string[];
}

/**
 * Creates the function that computes what a power cut during a recording leaves on the disk.
 *
 * - An operation on a file survives once a flush of this file has succeeded after it. A change of names survives once a flush
 *   of the folder has.
 * - Of all other operations any subset survives. A write can also survive in part. Later ones can survive without earlier
 *   ones, also in the same file.
 * - After a failed flush, no later flush makes the operations before it durable: Linux reports the error once, and then
 *   regards them as written.
 *
 * Each surviving operation is applied in the order of the recording: what a later write has overwritten never comes back.
 */
export function createCrashStates(operations: readonly Operation[]): (cut: PowerCut) => CrashState {
  const durable = durableAfter(operations);

  return ({ after, survives, tears, seed }) => {
    const random = createRandom(seed);
    const disk = createDisk();
    const marks: string[] = [];
    for (const [index, operation] of operations.slice(0, after).entries()) {
      if (operation.kind === "flush" || operation.kind === "start") continue;
      if (operation.kind === "mark") marks.push(operation.text);
      else if ((durable.get(index) ?? Number.POSITIVE_INFINITY) < after || random() < survives) disk.apply(operation);
      else if (operation.kind === "write" && random() < tears) {
        for (const part of tear(operation, random)) disk.apply({ ...operation, ...part });
      }
    }
    return { files: disk.files(), marks };
  };
}

/** Finds the flush that makes each operation durable. An operation without one is not in the result. */
function durableAfter(operations: readonly Operation[]): ReadonlyMap<number, number> {
  const durable = new Map<number, number>();
  const pending = new Map<number | "names", number[]>();
  for (const [index, operation] of operations.entries()) {
    if (operation.kind === "mark" || operation.kind === "start") continue;
    if (operation.kind === "flush") {
      if (!operation.failed) for (const flushed of pending.get(operation.of) ?? []) durable.set(flushed, index);
      pending.delete(operation.of);
    } else {
      const of = operation.kind === "names" ? "names" : operation.file;
      pending.set(of, [...(pending.get(of) ?? []), index]);
    }
  }
  return durable;
}

interface Placed {
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Returns what a torn write leaves: its first bytes, some of its sectors, or other bytes in some of its sectors. Bytes
 * outside of the write never change: SQLite relies on that too.
 *
 * @see https://www.sqlite.org/psow.html
 */
function tear({ offset, bytes }: Placed, random: () => number): readonly Placed[] {
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

/** Creates a generator of pseudo-random numbers from 0 up to 1 (mulberry32): the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
