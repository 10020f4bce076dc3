/** Where something is written: a path from the root of the workspace, line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The start of a file. */
export function startOf(file: string): Place {
  return { file, line: 1, column: 1 };
}
