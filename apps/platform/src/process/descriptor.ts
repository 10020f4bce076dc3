import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { Socket } from "node:net";
import { isatty } from "node:tty";

/** Called with the number of bytes written, or with the error when none were. */
export type Written = (error: unknown, bytes: number) => void;

/** A file descriptor whose writes never block the event loop. */
export interface Descriptor {
  /** Writes as many bytes as fit now; fails with EAGAIN when none fit. May call back before it returns. */
  write(bytes: Buffer, written: Written): void;
  /** Writes synchronously, for use at process exit. @throws with EAGAIN when no bytes fit. */
  writeSync(bytes: Buffer): number;
}

/**
 * Opens standard output (1) or standard error (2) for writes that do not wait for the reader.
 *
 * Pipes, sockets and terminals are made non-blocking. If Node's thread pool wrote to one whose reader stalls, the blocked thread
 * would delay even `process.exit`. A file has no reader, but its disk may be slow, so the thread pool writes to it.
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
    // Opened again, so that the shell on the same terminal is not affected.
    if (isatty(fd)) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not supported on this system: the thread pool writes to it.
  }
  return undefined;
}

const sockets = new Set<Socket>();
