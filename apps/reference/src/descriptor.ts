import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { Socket } from "node:net";
import { isatty } from "node:tty";

/** Called with the number of bytes that were written, or with the reason why none was. */
export type Written = (error: unknown, bytes: number) => void;

/** A file descriptor that never makes the event loop wait. */
export interface Descriptor {
  /** Writes as many of the bytes as there is room for now: EAGAIN when there is none. May call back before it returns. */
  write(bytes: Buffer, written: Written): void;
  /** The same at once, for the end of the process. @throws with EAGAIN when there is no room. */
  writeSync(bytes: Buffer): number;
}

/**
 * Opens standard output (1) or standard error (2) for writing without waiting for the reader.
 *
 * A pipe, socket or terminal whose reader stalls must not be written by Node's thread pool: the blocked thread would keep
 * even `process.exit` waiting. Such a descriptor is made non-blocking. A file has no reader, but its disk may be slow: it
 * is written by the thread pool.
 */
export function openDescriptor(fd: 1 | 2): Descriptor {
  const nonBlocking = nonBlockingDescriptor(fd);
  if (nonBlocking === undefined) {
    return { write: (bytes, written) => write(fd, bytes, written), writeSync: (bytes) => writeSync(fd, bytes) };
  }
  const writeNow = (bytes: Buffer) => writeSync(nonBlocking, bytes);
  return {
    write(bytes, written) {
      try {
        written(null, writeNow(bytes));
      } catch (error) {
        written(error, 0);
      }
    },
    writeSync: writeNow,
  };
}

function nonBlockingDescriptor(fd: 1 | 2): number | undefined {
  const kind = fstatSync(fd);
  try {
    if (kind.isFIFO() || kind.isSocket()) {
      // Node makes the descriptor of a Socket non-blocking, and undoes that for 0 to 2 when the process ends.
      sockets.add(new Socket({ fd, readable: false, writable: true }));
      return fd;
    }
    // Opened anew, so that the shell on the same terminal is not affected.
    if (isatty(fd)) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not on this system: the thread pool writes it.
  }
  return undefined;
}

const sockets = new Set<Socket>();
