import type { LineWriter } from "../line-writer.js";

/** Creates a line writer that sends the lines of one turn of the event loop together. It drops no line: the receiver may. */
export function createLineForwarder(send: (lines: readonly string[]) => void): LineWriter {
  let lines: string[] = [];

  const sendAll = () => {
    if (lines.length === 0) return;
    const sent = lines;
    lines = [];
    send(sent);
  };

  return {
    write(line) {
      if (lines.length === 0) setImmediate(sendAll);
      lines.push(line);
    },
    state: () => ({ droppedLines: 0, error: undefined }),
    onRecovered: () => {},
    flushAtExit: sendAll,
  };
}
