/** Returns the code of an operating system error, such as EADDRINUSE; undefined when it has none. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}
