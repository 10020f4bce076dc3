import type { Entry } from "./plot.ts";

/** What came of one entry's calls. It crosses out of the runtime as JSON, and holds no secret. */
export interface EntryTold {
  /** By a program that traces. */
  readonly deleted: Deletion;
  /** The same deletion again, and what the program could read of that answer's headers. */
  readonly repeated: Deletion & { readonly readableRequestId: string | null };
  /** A deletion of a version that was never: the error as a logger prints it. */
  readonly conflict: PrintedError;
  /** An exchange whose first answer was lost on the way. */
  readonly exchangedAgain: { readonly status: string; readonly attempts: number; readonly sameAnswer: boolean };
  /** A device login during which the user approved, and a deletion with its session. */
  readonly login: { readonly statuses: readonly string[]; readonly approval: number; readonly deleted: Deletion };
  /** A call that is answered with a redirection: the error as a logger prints it. */
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

/** What the program tells of its runtime. */
export interface Told {
  readonly runtime: {
    readonly userAgent: string;
    /** Whether its `fetch` can be told to refuse redirections. */
    readonly takesRedirectError: boolean;
  };
  readonly entries: Readonly<Record<Entry, EntryTold>>;
  /** Sealed and signed for a recipient of each kind, and opened by them. */
  readonly opened: readonly string[];
  readonly published: {
    /** Each as its format, its writer and its content. */
    readonly items: readonly string[];
    readonly itemKeys: readonly string[];
    readonly titleHashes: readonly string[];
  };
  /** A proof of possession for `accessToken`, by a key with this thumbprint. */
  readonly proof: { readonly jwt: string; readonly thumbprint: string };
}
