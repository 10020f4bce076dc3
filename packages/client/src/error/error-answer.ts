import { readHttpDate } from "../wire/http-date.js";
import { attempt, boolean, list, message, number, type Reader, string } from "../wire/read-json.js";
import { isErrorCode, isReasonName, type PlatformErrorCode } from "./code-and-reason.js";
import { createError, type ServerCall } from "./create-error.js";
import { decodeDetail } from "./decode-detail.js";
import type {
  DelegationExhaustedDetail,
  FieldViolation,
  PlatformError,
  PlatformErrorDetails,
  VersionConflictDetail,
} from "./platform-error.js";
import { parseJson, type ResponseSummary } from "./redactor.js";

/** A test compares its fields with the descriptor of the contract. */
export const readVersionConflict: Reader<VersionConflictDetail> = message({
  itemId: string,
  baseVersion: number,
  currentVersion: number,
  deleted: boolean,
  cursor: message({ vaultId: string, sequence: number }),
});

/** Reads a number from the metadata of an ErrorInfo, whose values are texts. */
const count: Reader<number> = (value) => number(string(value));

const detailReaders: { readonly [reason: string]: Reader<PlatformErrorDetails[keyof PlatformErrorDetails]> } = {
  VERSION_CONFLICT: readVersionConflict,
  DELEGATION_EXHAUSTED: message<DelegationExhaustedDetail>({ allowed: count, used: count, page: string }),
};

const readViolations = list(message<FieldViolation>({ field: string, description: string }));
const shownCharacters = 200;

/** The fields that are read from untrusted JSON, whatever they contain. */
type Fields = { readonly [Name in BodyField | DetailField]?: unknown };
type BodyField = "code" | "message" | "details";
type DetailField = "type" | "value" | "debug" | "reason" | "domain" | "metadata" | "retryDelay" | "fieldViolations";

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
  const details = [body.details].flat().map((one) => {
    const { type, value, debug } = fieldsOf(one);
    // A server may leave out `debug` (Connect protocol, "Error End-Of-Stream").
    return { type, fields: fieldsOf({ ...decodeDetail(`${type}`, value, call.redact), ...Object(debug) }) };
  });
  const detail = (type: string, domain?: string) =>
    fieldsOf(details.find((one) => one.type === type && one.fields.domain === domain)?.fields);
  // A proxy may add an ErrorInfo with its own domain.
  const { reason, metadata } = detail("google.rpc.ErrorInfo", "platform.v1");
  const retryAfterMs = durationMs(detail("google.rpc.RetryInfo").retryDelay) ?? retryAfterOf(headers);
  const code = isErrorCode(body.code) ? body.code : undefined;
  const known = isReasonName(reason) ? reason : undefined;
  const read = known && detailReaders[known];
  const found = read && attempt(() => read({ ...Object(metadata), ...detail("platform.v1.VersionConflict") }));
  if (!(known ?? code) || (read && !found)) {
    // A success may contain tokens, unless it is a page. The body of a redirect repeats the target, with its query.
    const isSecret = isRedirect(status) || (ok && !text.startsWith("<"));
    const excerpt = isSecret ? "" : call.redact(text.trim()).slice(0, shownCharacters);
    return createError(
      call,
      "MALFORMED_RESPONSE",
      fallback,
      `Unexpected response from ${call.host}${status ? `: ${status}` : ""}${excerpt && ` "${excerpt}"`}.${explain(call.response)} Check baseUrl and proxies.`,
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

type HeaderValues = Readonly<Record<string, string>>;

/** Returns the milliseconds of a google.protobuf.Duration in JSON, such as "1.5s". */
function durationMs(delay: unknown): number | undefined {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(`${delay}`) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Returns the milliseconds of Retry-After: seconds, or a date by the clock of the server (RFC 9110 section 10.2.3). */
function retryAfterOf({ "retry-after": value = "", date = "" }: HeaderValues): number | undefined {
  const now = readHttpDate(date, Date.now()) || Date.now();
  const ms = durationMs(`${value}s`) ?? readHttpDate(value, now) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Returns a sentence about a response without an error body, with a space in front; "" if there is nothing to say. */
function explain({ status = -1, headers = {} }: Partial<ResponseSummary> = {}): string {
  const { location, "content-type": type = "", "accept-post": named = type } = headers;
  const redirects = isRedirect(status) && location;
  if (redirects || status === 0)
    return ` It redirects to ${redirects || "an address that the browser hides"}. The client sends no token there.`;
  if (status === 415 || /\/(?:proto|grpc)/.test(type))
    return ` The server does not take JSON, which this client sends${named && `, but ${named}`}. Allow application/json there, or pass a transport with the binary format.`;
  const text = statuses[status]?.[1] ?? (status > 519 ? "A CDN cannot reach the server" : "");
  return text && ` ${text}.`;
}

/**
 * Returns the code of a response without an error body (Connect protocol, "HTTP to Error Code"). The protocol has no code for 408, 421
 * and 425, after which a request may be sent again (RFC 9110, RFC 8470), nor for statuses above 505: those of CDNs say that the server
 * cannot be reached.
 */
export function codeOfStatus(status: number): PlatformErrorCode {
  return statuses[status]?.[0] ?? (status > 505 ? "unavailable" : "unknown");
}

/** The code of a status, and what it says. */
const statuses: Readonly<Record<number, readonly [PlatformErrorCode, string?]>> = {
  400: ["internal"],
  401: ["unauthenticated"],
  403: ["permission_denied"],
  404: ["unimplemented"],
  408: ["deadline_exceeded", "The request took too long to arrive"],
  421: ["unavailable", "The request reached a server of another host"],
  425: ["unavailable", "The request came too early in the connection"],
  429: ["unavailable", "Too many requests were sent"],
  502: ["unavailable", "A proxy got no valid response from the server"],
  503: ["unavailable", "The server or a proxy is overloaded or down"],
  504: ["unavailable", "A proxy got no response from the server in time"],
};
