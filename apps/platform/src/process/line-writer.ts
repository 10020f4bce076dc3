import { errorCode } from "@platform-rpc/front/errors";
import type { Descriptor } from "./descriptor.js";

export interface LineWriterState {
  /** The number of lines dropped since the process started. */
  readonly droppedLines: number;
  /** Code of the last failed write, such as ENOSPC or EPIPE; undefined after a success, or when the reader is only slow. */
  readonly error: string | undefined;
}

/** Writes lines without blocking. */
export interface LineWriter {
  /** Queues a line, which includes its line break. It is written at the end of this turn of the event loop. */
  write(line: string): void;
  state(): LineWriterState;
  /** Sets a listener that is called each time the queue is empty again after lines were dropped, with their number. */
  onRecovered(listener: (droppedLines: number) => void): void;
  /** Writes the queued lines before the process ends. Blocks for at most 500 ms, and returns at once when writing fails. */
  flushAtExit(): void;
}

/** The maximum number of queued characters: about 16,000 lines of the log. */
const defaultLimit = 4 * 1024 * 1024;
const retryMs = 10;
const flushMs = 500;

/**
 * Creates a line writer. A failed write is retried every 10 ms, so no line is lost if a full disk gets free space in time. Once
 * `limit` characters are queued, further lines are dropped and counted.
 */
export function createLineWriter(descriptor: Descriptor, limit = defaultLimit): LineWriter {
  let lines: string[] = [];
  let queued = 0;
  /** The bytes being written. */
  let bytes = Buffer.alloc(0);
  let scheduled = false;
  let inFlight = false;
  let droppedLines = 0;
  let reported = 0;
  let error: string | undefined;
  let recovered: (droppedLines: number) => void = () => {};

  const takeLines = () => {
    const taken = Buffer.from(lines.join(""));
    lines = [];
    queued = 0;
    return taken;
  };

  const writeSome = () => {
    if (bytes.length === 0) bytes = takeLines();
    inFlight = true;
    descriptor.write(bytes, (failure, written) => {
      inFlight = false;
      if (failure !== null) {
        error = isFull(failure) ? undefined : (errorCode(failure) ?? "unknown error");
        setTimeout(writeSome, retryMs).unref();
        return;
      }
      error = undefined;
      bytes = bytes.subarray(written);
      if (bytes.length > 0 || lines.length > 0) {
        writeSome();
        return;
      }
      scheduled = false;
      const lost = droppedLines - reported;
      reported = droppedLines;
      if (lost > 0) recovered(lost);
    });
  };

  return {
    write(line) {
      if (queued + bytes.length + line.length > limit) {
        droppedLines += 1;
        return;
      }
      lines.push(line);
      queued += line.length;
      if (scheduled) return;
      scheduled = true;
      setImmediate(writeSome);
    },

    state: () => ({ droppedLines, error }),

    onRecovered(listener) {
      recovered = listener;
    },

    flushAtExit() {
      // The thread pool finishes the write in flight before the process ends: on a busy machine, after the lines written here.
      let rest = Buffer.concat([inFlight ? Buffer.alloc(0) : bytes, takeLines()]);
      bytes = Buffer.alloc(0);
      const until = performance.now() + flushMs;
      while (rest.length > 0 && performance.now() < until) {
        try {
          rest = rest.subarray(descriptor.writeSync(rest));
        } catch (failure) {
          if (!isFull(failure)) return;
          pause(retryMs);
        }
      }
    },
  };
}

function isFull(failure: unknown): boolean {
  return errorCode(failure) === "EAGAIN";
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
