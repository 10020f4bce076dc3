import type { Entry } from "./program-input.ts";

/** The results of one entry's calls, returned as JSON. Contains no secrets. */
export interface EntryResult {
  /** A deletion with trace headers. */
  readonly deleted: Deletion;
  /** A retry of the same deletion, and the request id that the program could read from the response headers. */
  readonly repeated: Deletion & { readonly readableRequestId: string | null };
  /** The error of a deletion with a wrong version, as a logger prints it. */
  readonly conflict: PrintedError;
  /** An exchange whose first response was lost. */
  readonly exchangedAgain: { readonly status: string; readonly attempts: number; readonly sameAnswer: boolean };
  /** A device login, and a deletion with its session. */
  readonly login: { readonly statuses: readonly string[]; readonly approval: number; readonly deleted: Deletion };
  /** The error of a redirected call, as a logger prints it. */
  readonly redirected: PrintedError;
}

export interface PrintedError {
  readonly reason?: unknown;
  readonly requestId?: unknown;
}

interface Deletion {
  readonly version: number;
  readonly deleted: boolean;
  readonly sequence: number;
  readonly requestId: string;
}

/** The result of the program. */
export interface ProgramResult {
  readonly runtime: {
    readonly userAgent: string;
    /** Whether the runtime supports `redirect: "error"`. */
    readonly takesRedirectError: boolean;
  };
  readonly entries: Readonly<Record<Entry, EntryResult>>;
  /** The texts that each kind of recipient opened. */
  readonly opened: readonly string[];
  readonly published: {
    /** The format, writer and content of each item. */
    readonly items: readonly string[];
    readonly itemKeys: readonly string[];
    readonly titleHashes: readonly string[];
  };
  /** A proof of possession, and the thumbprint of its key. */
  readonly proof: { readonly jwt: string; readonly thumbprint: string };
}
