import { OAuthError } from "../http/oauth-error.js";

/** How long a document may take to arrive, including the resolution of its host, in milliseconds. */
export const longestMs = 2_000;

/** The largest document, in bytes. */
export const largestBytes = 10 * 1024;

/** How many documents may be fetched for one network at a time. */
export const mostLookups = 4;

const noPublicAddress =
  "The host of the client metadata document does not exist, or is in a private network. Check the URL in client_id.";

/**
 * What can be wrong, and the description for the developer of the client. It contains nothing about the network of this server: callers
 * cannot find out whether a name exists in it.
 */
const descriptions = {
  HOST_NOT_FOUND: noPublicAddress,
  PRIVATE_ADDRESS: noPublicAddress,
  HOST_NOT_RESOLVED:
    "The host of the client metadata document could not be resolved. Check its name servers, and retry in a minute.",
  UNREACHABLE:
    "The server of the client metadata document could not be reached over TLS. Check its certificate, and retry in a minute.",
  TIMED_OUT: `The client metadata document did not arrive within ${longestMs / 1000} s. Check its server and name servers, and retry in a minute.`,
  NOT_FOUND:
    "The client metadata document was not found: its URL must answer with the status 200, without a redirect. Correct it, and retry in a minute.",
  NOT_JSON:
    "The client metadata document is not a JSON object, or is not served as application/json. Correct it, and retry in a minute.",
  TOO_LONG: `The client metadata document is longer than ${largestBytes} bytes. Shorten it, and retry in a minute.`,
  WRONG_CLIENT_ID:
    "The client metadata document contains another client_id than its URL. Correct it, and retry in a minute.",
  INVALID_METADATA: "The client metadata document is not valid. Correct it, and retry in a minute.",
  TOO_MANY_LOOKUPS: `${mostLookups} client metadata documents are being fetched for your network. Retry later.`,
  TOO_MANY_UNAPPROVED:
    "Too many programs that no person has approved are waiting here. Sign in with an authorization code, retry tomorrow, or ask an administrator to register the client.",
} as const;

/** Thrown when the metadata document of a client cannot be read. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";

  readonly problem: keyof typeof descriptions;
  /** More for the log, such as an address or an error code. Never sent to a caller, and never text of the document. */
  readonly detail: string | undefined;

  constructor(problem: keyof typeof descriptions, detail?: string, description: string = descriptions[problem]) {
    super(description);
    this.problem = problem;
    this.detail = detail;
  }
}

/** Creates the error for a document that breaks a rule. The rule begins with the name of its field. */
export function invalidMetadata(rule: string): DocumentError {
  const description = `The client metadata document is not valid: ${rule}. Correct it, and retry in a minute.`;
  return new DocumentError("INVALID_METADATA", rule, description);
}

/** Returns the error for a caller whose client is not registered, because its document cannot be read. */
export function toOAuthError({ problem, message }: DocumentError): OAuthError {
  if (!problem.startsWith("TOO_MANY_")) return new OAuthError("invalid_client", message, { status: 401 });
  const headers = { "Retry-After": String(problem === "TOO_MANY_LOOKUPS" ? longestMs / 1000 : 3600) };
  return new OAuthError("temporarily_unavailable", message, { status: 429, headers });
}
