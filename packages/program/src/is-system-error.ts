/** Returns whether an error comes from the operating system, such as a file that cannot be read. Its message names the file. */
export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && "syscall" in thrown;
}
