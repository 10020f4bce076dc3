/** Everything that the program uses of the process it runs in, so that a test can replace it. */
export interface Terminal {
  /** Writes results. */
  out(text: string): void;
  /** Writes what only a person needs: prompts, progress, errors. */
  err(text: string): void;
  /** Whether a person reads standard error: then waiting shows a spinner. */
  readonly interactive: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal;
}

/** Writes one line of results. */
export function printLine(terminal: Terminal, line: string): void {
  terminal.out(`${line}\n`);
}
