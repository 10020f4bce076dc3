/** The code of an error of the operating system, as EADDRINUSE; undefined when it has none. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}
