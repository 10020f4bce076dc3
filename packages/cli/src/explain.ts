import { ProgramError, platformErrorOf } from "@platform-rpc/program";
import { CommandError, exitCode } from "./exit-code.js";

/** An error as the program shows it. */
export interface Explanation {
  readonly message: string;
  readonly code: number;
  /** The reason of an error of the platform. */
  readonly reason?: string;
  readonly requestId?: string;
}

/** Returns what to show for an error, and the exit code. */
export function explain(thrown: unknown): Explanation {
  if (thrown instanceof CommandError) return { message: thrown.message, code: thrown.code };
  if (thrown instanceof ProgramError) {
    const { usage, unreachable, failed } = exitCode;
    return { message: thrown.message, code: { usage, unreachable, failed }[thrown.kind] };
  }
  const error = platformErrorOf(thrown);
  if (error !== undefined) {
    const { message, reason, requestId } = error;
    return { message, code: codeOf(reason), reason, requestId };
  }
  const message = thrown instanceof Error ? thrown.message : "An unknown error occurred.";
  return { message: `${message}\nThis is a bug of this program. Please report it.`, code: exitCode.failed };
}

function codeOf(reason: string): number {
  if (reason === "UNAUTHENTICATED") return exitCode.notSignedIn;
  if (reason === "VERSION_CONFLICT") return exitCode.conflict;
  if (reason === "NETWORK_ERROR") return exitCode.unreachable;
  return reason === "CANCELED" ? exitCode.canceled : exitCode.failed;
}
