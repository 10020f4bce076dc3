/** Returns the loggable fields of an unexpected error: name and stack frames. The message is omitted: it may contain input. */
export function errorFields(thrown: unknown): { readonly error: string; readonly frames: readonly string[] } {
  const error = thrown instanceof Error ? thrown : new Error("a value that is not an Error was thrown");
  const frames = error.stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? [];
  return { error: error.name, frames };
}
