import { ConnectError } from "@connectrpc/connect";
import { isPlatformError, type PlatformError, printable } from "@platform-rpc/client";

/** `locked`: the keys of the vaults are not on this machine. */
export type ProgramErrorKind = "usage" | "unreachable" | "not signed in" | "locked" | "failed";

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

/** Thrown when what this computer has seen of the items of a vault cannot be read or stored. */
export class MemoryError extends ProgramError {}

/**
 * Returns the platform's error in what a client threw. Clients of Connect throw errors that have it as their cause. A call that has
 * no token failed because of the session: then it is the error of the session.
 */
export function platformErrorOf(thrown: unknown): PlatformError | undefined {
  const error = errorIn(thrown);
  if (!isPlatformError(error)) return undefined;
  return isPlatformError(error, "TOKEN_UNAVAILABLE") && isPlatformError(error.cause) ? error.cause : error;
}

/** Returns the program's error in what a client threw: the file of the session cannot be read or written. */
export function programErrorOf(thrown: unknown): ProgramError | undefined {
  const error = errorIn(thrown);
  const cause = isPlatformError(error, "TOKEN_UNAVAILABLE") ? error.cause : error;
  return cause instanceof ProgramError ? cause : undefined;
}

function errorIn(thrown: unknown): unknown {
  return thrown instanceof ConnectError ? thrown.cause : thrown;
}

/** Returns whether an error comes from the operating system, such as a file that cannot be read. Its message names the file. */
export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && "syscall" in thrown;
}

/** Escapes a text that a program prints like `printable`, but for its line breaks and tabs, which the program itself writes. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}
