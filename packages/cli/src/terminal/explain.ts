import { isPlatformError, type PlatformError } from "@platform-rpc/client";
import { isSystemError, platformErrorOf, programErrorOf } from "@platform-rpc/signed-in";

/** The exit codes of the program, for scripts. */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  conflict: 4,
  unreachable: 5,
  locked: 6,
  canceled: 130,
} as const;

/** What the help says of each exit code, and so the record of the API. */
export const meaningOf: Readonly<Record<(typeof exitCode)[keyof typeof exitCode], string>> = {
  [exitCode.done]: "done",
  [exitCode.failed]: "failed",
  [exitCode.usage]: "wrong command line",
  [exitCode.notSignedIn]: "not signed in",
  [exitCode.conflict]: "somebody changed the item first",
  [exitCode.unreachable]: "the platform cannot be reached",
  [exitCode.locked]: "the vaults are locked",
  [exitCode.canceled]: "ended by Ctrl+C",
};

export interface Explanation {
  readonly message: string;
  readonly code: number;
  /** The reason of an error of the platform. */
  readonly reason?: string;
  readonly requestId?: string;
}

const codeOfKind = {
  usage: exitCode.usage,
  unreachable: exitCode.unreachable,
  "not signed in": exitCode.notSignedIn,
  locked: exitCode.locked,
  failed: exitCode.failed,
} as const;

export function explain(thrown: unknown): Explanation {
  const programError = programErrorOf(thrown);
  if (programError !== undefined) return { message: programError.message, code: codeOfKind[programError.kind] };
  const error = platformErrorOf(thrown);
  if (error !== undefined) {
    const { message, reason, requestId } = error;
    return {
      // The person who reads it is the one who denied.
      message:
        reason === "ACCESS_DENIED"
          ? "You denied access in the browser. Nothing has changed."
          : `${message}${adviceOf(error)}`,
      code: codeOfReason(reason),
      ...(reason && { reason }),
      requestId,
    };
  }
  if (isSystemError(thrown)) return { message: thrown.message, code: exitCode.failed };
  const message = thrown instanceof Error ? thrown.message : "An unknown error occurred.";
  return { message: `${message}\nThis is a bug of this program. Please report it.`, code: exitCode.failed };
}

function adviceOf(error: PlatformError): string {
  if (error.reason === "UNAUTHENTICATED") return "\nRun: platform login";
  if (error.reason === "INSUFFICIENT_SCOPE") return "\nRun: platform login --scope <scope>, and approve it.";
  if (isPlatformError(error, "DELEGATION_EXHAUSTED")) {
    const { page } = error.detail;
    // The message of the platform names it, too.
    return page === "" || error.message.includes(page) ? "" : `\nTo allow more deletions, open ${page}`;
  }
  if (!isPlatformError(error, "VERSION_CONFLICT")) return "";
  const { currentVersion } = error.detail;
  return `\nThe current version is ${currentVersion}. Look at the item, then repeat with --version ${currentVersion}.`;
}

function codeOfReason(reason: string | undefined): number {
  if (reason === "UNAUTHENTICATED") return exitCode.notSignedIn;
  if (reason === "VERSION_CONFLICT") return exitCode.conflict;
  if (reason === "NETWORK_ERROR") return exitCode.unreachable;
  return reason === "CANCELED" ? exitCode.canceled : exitCode.failed;
}
