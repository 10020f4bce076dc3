import type { Socket } from "node:net";

/** The responses that wait in this process until their callers read them, and the bytes that they may have together. */
export interface UnreadResponses {
  /**
   * Counts the bytes of a response that a caller has not read. Those of an earlier one of the same connection no longer count. While
   * there are too many in all, ends the connections of the callers that have read nothing for longest.
   */
  add(socket: Socket, bytes: number): void;
  /** Records that a caller has read some of its response. */
  progressed(socket: Socket): void;
  /** Stops counting the response of a connection. */
  remove(socket: Socket): void;
}

const defaultUnreadBytes = 256 * 1024 * 1024;

/**
 * Creates the count of unread responses, with a maximum of their bytes in all; `Infinity` disables it. Pass it to all listeners of a
 * process, so that the maximum is one for the process. A response that the operating system takes at once never counts.
 *
 * @param maximum in bytes. Default: 256 MiB.
 */
export function createUnreadResponses(maximum: number = defaultUnreadBytes): UnreadResponses {
  /** In the order of their last progress. */
  const waiting = new Map<Socket, number>();
  let total = 0;

  function remove(socket: Socket): void {
    total -= waiting.get(socket) ?? 0;
    waiting.delete(socket);
  }

  return {
    add(socket, bytes) {
      remove(socket);
      total += bytes;
      waiting.set(socket, bytes);
      for (const [slowest] of waiting) {
        // A single response may exceed the maximum.
        if (total <= maximum || slowest === socket) return;
        remove(slowest);
        slowest.destroy();
      }
    },
    progressed(socket) {
      const bytes = waiting.get(socket);
      if (bytes === undefined) return;
      waiting.delete(socket);
      waiting.set(socket, bytes);
    },
    remove,
  };
}
