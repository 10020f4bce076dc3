import type { ReadStream } from "node:tty";
import { ProgramError } from "@platform-rpc/signed-in";

type Keyboard = Pick<ReadStream, "isRaw" | "setRawMode" | "setEncoding" | "on" | "off" | "resume" | "pause">;

/** Within which time the parts of a text that was pasted follow each other, in milliseconds. */
const pasteMs = 100;

interface Asking {
  write(text: string): void;
  cancel(): void;
  sleep(ms: number): Promise<void>;
}

/** Asks for a line without showing it. Rejects at Ctrl+C, or when aborted. @throws ProgramError for several lines, or if it is no text. */
export async function readHiddenLine(
  input: Keyboard,
  question: string,
  { write, cancel, sleep }: Asking,
): Promise<string> {
  const wasRaw = input.isRaw;
  // Before the question: the terminal would show what is typed until then.
  input.setRawMode(true);
  input.setEncoding("utf8");
  write(question);
  try {
    const answer = await new Promise<{ readonly line: string; readonly rest: string }>((resolve, reject) => {
      let line: string[] = [];
      const end = (finish: () => void) => {
        input.off("data", read);
        finish();
      };
      const read = (text: string) => {
        const [typed = "", ...others] = text.split(/\r\n?|\n/);
        for (const key of typed) {
          if (key === "\u0003" || key === "\u0004") {
            // A terminal in raw mode sends no signal.
            cancel();
            return end(() => reject(new Error("Canceled.")));
          }
          if (key === "\u007f" || key === "\b") line.pop();
          else if (key === "\u0015") line = [];
          else line.push(key);
        }
        if (others.length > 0) end(() => resolve({ line: line.join(""), rest: others.join("\n") }));
      };
      input.on("data", read);
      input.resume();
    });
    const hasMore = (await readRest(input, sleep)) || answer.rest !== "";
    // Keys such as arrows send control characters. What is not UTF-8 has been replaced.
    if (hasMore || /[^\P{Cc}\t]|\ufffd/u.test(answer.line)) {
      throw new ProgramError(
        "The answer is not one line of text, and nothing has changed. Several lines are read from standard input: name=-",
        "usage",
      );
    }
    return answer.line;
  } finally {
    input.setRawMode(wasRaw);
    input.pause();
    write("\n");
  }
}

/** Reads what follows the line at once: it would go to the shell, which runs it and shows it. Resolves with whether there is anything. */
async function readRest(input: Keyboard, sleep: Asking["sleep"]): Promise<boolean> {
  let [found, isQuiet] = [false, false];
  const read = () => {
    found = true;
    isQuiet = false;
  };
  input.on("data", read);
  while (!isQuiet) {
    isQuiet = true;
    await sleep(pasteMs);
  }
  input.off("data", read);
  return found;
}
