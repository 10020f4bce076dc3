import { printableLines } from "@platform-rpc/signed-in";
import { jsonKeys } from "./json-keys.js";

/** Everything that the program uses of the process it runs in, so that a test can replace it. */
export interface Terminal {
  /** Writes results. */
  out(text: string): void;
  /** Writes results as they are, without escaping them: the bytes of a file, or text that is already escaped. */
  outBytes(bytes: Uint8Array): void;
  /** Writes what only a person needs: prompts, progress, errors. */
  err(text: string): void;
  /** Whether a person reads standard error: then waiting shows a spinner. */
  readonly interactive: boolean;
  /** Whether a person reads standard output: then times are relative, and secrets are masked. */
  readonly isOutTerminal: boolean;
  /** The file of this program, with which it starts itself again. */
  readonly main: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads standard input to its end. */
  readInput(): Promise<Uint8Array>;
  /** Asks for a line, which is shown while it is typed. Undefined at the end of standard input, and at Ctrl+C. */
  readLine(question: string): Promise<string | undefined>;
  /** Asks for a secret, and does not show what is typed. Undefined without a terminal. */
  readonly readHidden: ((question: string) => Promise<string>) | undefined;
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal;
  /** Resolves after this many milliseconds, or when the signal is aborted. */
  sleep(ms: number): Promise<void>;
}

/** Returns a result of a command as JSON, with the keys that its help lists and no others. */
export function asJson(command: keyof typeof jsonKeys, result: object): string {
  return JSON.stringify(result, jsonKeys[command]);
}

export function printLine(terminal: Terminal, line: string): void {
  terminal.out(`${line}\n`);
}

/** Writes a value of an item: escaped for a terminal, which would obey its control characters, and byte for byte for a program. */
export function printValue(terminal: Terminal, value: Uint8Array): void {
  if (terminal.isOutTerminal) terminal.out(Buffer.from(value).toString());
  else terminal.outBytes(value);
}

/** Writes a sentence for the person who waits; with `json`, as a line of JSON. */
export function printNotice(terminal: Terminal, message: string, { json = false }: { readonly json?: boolean }): void {
  terminal.err(`${json ? asJson("platform", { notice: { message } }) : message}\n`);
}

/** Returns a terminal that escapes control characters and marks of direction: with them, a server could control it, or deceive its reader. */
export function escaping(terminal: Terminal): Terminal {
  const { readHidden } = terminal;
  return {
    ...terminal,
    readHidden: readHidden && ((question) => readHidden(printableLines(question))),
    out: (text) => terminal.out(printableLines(text)),
    err: (text) => terminal.err(printableLines(text)),
  };
}
