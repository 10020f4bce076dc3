/** Why a program cannot continue: its arguments are wrong, the platform cannot be reached, nobody is signed in, or something else. */
export type ProgramErrorKind = "usage" | "unreachable" | "not signed in" | "failed";

/** Thrown by programs, with a message for the person who uses the program. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";

  constructor(
    message: string,
    readonly kind: ProgramErrorKind = "failed",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
