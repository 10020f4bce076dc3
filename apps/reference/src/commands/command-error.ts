/** A command that failed for a reason that an operator can do something about: its message says what. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
