import { createInterface } from "node:readline";

interface Asking {
  readonly input: NodeJS.ReadableStream;
  /** Shows the question, and what is typed. */
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  cancel(): void;
}

/** Asks for a line. Resolves with undefined at the end of the input, and when it is aborted. */
export function readShownLine(
  question: string,
  { input, output, signal, cancel }: Asking,
): Promise<string | undefined> {
  const lines = createInterface({ input, output });
  const close = () => lines.close();
  signal.addEventListener("abort", close);
  return new Promise<string | undefined>((resolve) => {
    lines.on("close", () => resolve(undefined));
    // A terminal that shows what is typed sends no signal.
    lines.on("SIGINT", cancel);
    lines.question(question, resolve);
  }).finally(() => {
    signal.removeEventListener("abort", close);
    lines.close();
  });
}
