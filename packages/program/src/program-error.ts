/** Why a program cannot go on: its arguments are wrong, the platform cannot be reached, or something else. */
export type ProgramErrorKind = "usage" | "unreachable" | "failed";

/** Thrown by the code that programs share, with a message for the person who uses the program. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";

  constructor(
    message: string,
    readonly kind: ProgramErrorKind = "failed",
  ) {
    super(message);
  }
}
