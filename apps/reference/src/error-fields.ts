/** What may be logged of an unexpected error: where it arose. Its message is left out: it may repeat what it was given. */
export function errorFields(thrown: unknown): { readonly error: string; readonly frames: readonly string[] } {
  const error = thrown instanceof Error ? thrown : new Error("a value that is no error was thrown");
  const frames = error.stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? [];
  return { error: error.name, frames };
}
