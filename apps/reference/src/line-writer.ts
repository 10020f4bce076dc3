import type { Descriptor } from "./descriptor.js";
import { errorCode } from "./error-code.js";

/** How well the lines get out. */
export interface LineWriterState {
  /** Lines that were lost, since the process started. */
  readonly droppedLines: number;
  /** Why the last attempt to write failed, as ENOSPC or EPIPE; undefined when it worked, or when the reader is only slow. */
  readonly error: string | undefined;
}

/** Writes lines, and never waits. */
export interface LineWriter {
  /** Queues a line, its line break included. It is written at the end of this turn of the event loop. */
  write(line: string): void;
  state(): LineWriterState;
  /** Calls back, with the number of lines lost in between, each time that everything could be written again. */
  onRecovered(listener: (droppedLines: number) => void): void;
  /** Writes what is queued before the process ends: blocks for 500 ms at most, and not at all when writing fails. */
  flushAtExit(): void;
}

/** Characters that may wait: about 16,000 lines of the log. */
const defaultLimit = 4 * 1024 * 1024;
const retryMs = 10;
const flushMs = 500;

/**
 * Creates a writer of lines. What cannot be written is kept and tried again every 10 ms, so that a full disk that is
 * cleared in time loses nothing. Once `limit` characters wait, further lines are dropped and counted.
 */
export function createLineWriter(descriptor: Descriptor, limit = defaultLimit): LineWriter {
  let lines: string[] = [];
  let queued = 0;
  /** What is being written. */
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
      // What the thread pool is writing, it finishes before the process ends.
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
