/** Returns the code of an operating system error, such as EADDRINUSE; undefined when it has none. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}

interface ErrorFields {
  readonly error: string;
  /** The code of the operating system or the database. */
  readonly code?: string | number | undefined;
  readonly frames: readonly string[];
}

/** Returns name, code and stack frames, as the log has them. Messages are omitted: they may contain input. */
export function errorFields(thrown: unknown): ErrorFields & { readonly cause?: ErrorFields } {
  const error = thrown instanceof Error ? thrown : new Error("a value that is not an Error was thrown");
  return { ...fieldsOf(error), ...(error.cause instanceof Error && { cause: fieldsOf(error.cause) }) };
}

function fieldsOf(error: Error): ErrorFields {
  const { name, stack } = error;
  // That of SQLite says more than the one of node:sqlite.
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode : errorCode(error);
  return { error: name, code, frames: stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? [] };
}
