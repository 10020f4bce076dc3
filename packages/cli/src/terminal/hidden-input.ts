import type { ReadStream } from "node:tty";

type Keyboard = Pick<ReadStream, "isRaw" | "setRawMode" | "setEncoding" | "on" | "off" | "resume" | "pause">;

/** Asks for a line on a terminal, and does not show what is typed. Rejects when it is aborted, and at Ctrl+C. */
export async function readHiddenLine(
  input: Keyboard,
  question: string,
  write: (text: string) => void,
  cancel: () => void,
): Promise<string> {
  const wasRaw = input.isRaw;
  // Before the question: the terminal would show what is typed until then.
  input.setRawMode(true);
  input.setEncoding("utf8");
  write(question);
  try {
    return await new Promise((resolve, reject) => {
      let line: string[] = [];
      const end = (finish: () => void) => {
        input.off("data", read);
        finish();
      };
      const read = (text: string) => {
        for (const key of text) {
          if (key === "\r" || key === "\n") return end(() => resolve(line.join("")));
          if (key === "\u0003" || key === "\u0004") {
            // A terminal in raw mode sends no signal.
            cancel();
            return end(() => reject(new Error("Canceled.")));
          }
          if (key === "\u007f" || key === "\b") line.pop();
          else if (key === "\u0015") line = [];
          else line.push(key);
        }
      };
      input.on("data", read);
      input.resume();
    });
  } finally {
    input.setRawMode(wasRaw);
    input.pause();
    write("\n");
  }
}
