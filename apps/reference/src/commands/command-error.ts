/** Thrown when a command fails for a reason that the operator can fix. The message says how. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
