import { attempt, boolean, list, message, number, type Reader, string } from "../wire/read-json.js";
import { isErrorCode, isReasonName, type PlatformErrorCode } from "./code-and-reason.js";
import { createError, type ServerCall } from "./create-error.js";
import type {
  DelegationExhaustedDetail,
  FieldViolation,
  PlatformError,
  PlatformErrorDetails,
  VersionConflictDetail,
} from "./platform-error.js";
import { parseJson } from "./redactor.js";

/** A test compares its fields with the descriptor of the contract. */
export const readVersionConflict: Reader<VersionConflictDetail> = message({
  itemId: string,
  baseVersion: number,
  currentVersion: number,
  deleted: boolean,
  cursor: message({ vaultId: string, sequence: number }),
});

/** Reads a number from the metadata of an ErrorInfo, whose values are texts. */
const count: Reader<number> = (value) => number(JSON.parse(string(value)));

/** How the detail of a reason is read. */
const detailReaders: { readonly [reason: string]: Reader<PlatformErrorDetails[keyof PlatformErrorDetails]> } = {
  VERSION_CONFLICT: readVersionConflict,
  DELEGATION_EXHAUSTED: message<DelegationExhaustedDetail>({ allowed: count, used: count, page: string }),
};

const readViolations = list(message<FieldViolation>({ field: string, description: string }));
const shownCharacters = 200;

/** The fields that are read from untrusted JSON, whatever they contain. */
type Fields = { readonly [Name in BodyField | DetailField]?: unknown };
type BodyField = "code" | "message" | "details";
type DetailField = "type" | "debug" | "reason" | "domain" | "metadata" | "retryDelay" | "fieldViolations";

/** Returns the fields of a value; none when it is not an object. */
const fieldsOf = (value: unknown): Fields => Object(value);

/**
 * Returns the error in the response of a call (specification section 7). The response is untrusted input: every detail is selected
 * by its type and read field by field. An error of the Connect protocol without a reason of the platform keeps its code and message.
 * Any other response, and a reason without its detail, becomes a `MALFORMED_RESPONSE`.
 */
export function errorOfAnswer(call: ServerCall, text: string, codeOfTransport?: PlatformErrorCode): PlatformError {
  const { status = 0, headers = {} } = call.response ?? {};
  const fallback = codeOfTransport ?? codeOfStatus(status);
  const ok = status >= 200 && status < 300;
  const body = fieldsOf(ok ? undefined : parseJson(text, call.redact));
  const details = [body.details].flat().map(fieldsOf);
  const detail = (type: string, domain?: string) =>
    fieldsOf(details.find((one) => one.type === type && fieldsOf(one.debug).domain === domain)?.debug);
  // A proxy may add an ErrorInfo with its own domain.
  const { reason, metadata } = detail("google.rpc.ErrorInfo", "platform.v1");
  const retryAfterMs = toMs(detail("google.rpc.RetryInfo").retryDelay) ?? toMs(headers["retry-after"]);
  const code = isErrorCode(body.code) ? body.code : undefined;
  const known = isReasonName(reason) ? reason : undefined;
  const read = known && detailReaders[known];
  const found = read && attempt(() => read({ ...Object(metadata), ...detail("platform.v1.VersionConflict") }));
  if (!(known ?? code) || (read && !found)) {
    // A success may contain tokens, unless it is a page.
    const excerpt = ok && !text.startsWith("<") ? "" : call.redact(text.trim()).slice(0, shownCharacters);
    return createError(
      call,
      "MALFORMED_RESPONSE",
      fallback,
      `Unexpected response from ${call.host}${status ? `: ${status}` : ""}${excerpt && ` "${excerpt}"`}. Check baseUrl and proxies.`,
      { retryAfterMs },
    );
  }
  const said = (typeof body.message === "string" && body.message) || "Rejected.";
  const challenge = headers["www-authenticate"];
  return createError(
    call,
    known,
    code ?? fallback,
    `${said}${challenge ? ` WWW-Authenticate: ${challenge}.` : ""}${known ? "" : " Check baseUrl and proxies."}`,
    {
      retryAfterMs,
      detail: found,
      violations: attempt(() => readViolations(detail("google.rpc.BadRequest").fieldViolations)) ?? [],
    },
  );
}

/** A google.protobuf.Duration in JSON, such as "1.5s", or the seconds of a Retry-After header. */
function toMs(delay: unknown): number | undefined {
  const ms = typeof delay === "string" ? Number.parseFloat(delay) * 1000 : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

/**
 * Returns the code of a response without an error body (Connect protocol, "HTTP to Error Code"). The statuses above 505 are not in the
 * protocol: those of CDNs say that the server cannot be reached.
 */
export function codeOfStatus(status: number): PlatformErrorCode {
  return codes[status] ?? (status > 505 ? "unavailable" : "unknown");
}

const codes: Readonly<Record<number, PlatformErrorCode>> = {
  400: "internal",
  401: "unauthenticated",
  403: "permission_denied",
  404: "unimplemented",
  429: "unavailable",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};
