import type { Call } from "../call/call.js";
import { isReasonName } from "../contract.js";
import type { HttpAnswer } from "../wire/post-json.js";
import { rebuild, type Shape } from "../wire/rebuild.js";
import { createError } from "./create-error.js";
import { isErrorCode, type PlatformErrorCode } from "./error-code.js";
import type { FieldViolation, PlatformError, VersionConflictDetail } from "./platform-error.js";
import { parseJson } from "./redactor.js";
import { safeHeaders } from "./safe-headers.js";

/** A test keeps it equal to the descriptor of the contract. */
export const versionConflictShape: Shape<VersionConflictDetail> = {
  itemId: "",
  baseVersion: 0,
  currentVersion: 0,
  deleted: false,
  cursor: { vaultId: "", sequence: 0 },
};

const violationsShape: Shape<readonly FieldViolation[]> = [{ field: "", description: "" }];
const shownCharacters = 200;

/** An answer over HTTP, or from another transport: without a status, but with a code. */
interface ErrorAnswer extends Omit<HttpAnswer, "status"> {
  readonly status?: number;
  readonly code?: PlatformErrorCode;
}

/** The fields that are read from untrusted JSON, whatever they contain. */
type Fields = { readonly [Name in BodyField | DetailField]?: unknown };
type BodyField = "code" | "message" | "details";
type DetailField = "type" | "debug" | "reason" | "domain" | "retryDelay" | "fieldViolations";

/** None, when the value is not an object. */
const fieldsOf = (value: unknown): Fields => Object(value);

/**
 * The error in an answer (specification section 7). Untrusted input: every detail is selected by its type and rebuilt from its
 * shape. An answer without a reason of the platform, or a conflict without its detail, is a `MALFORMED_RESPONSE`.
 */
export function errorOfAnswer(call: Call, answer: ErrorAnswer): PlatformError {
  const { status = 0, text, code: fallback = codeOfStatus(status) } = answer;
  const ok = status >= 200 && status < 300;
  const headers = safeHeaders(answer.headers, call.redact);
  const body = fieldsOf(ok ? undefined : parseJson(text, call.redact));
  const details = [body.details].flat().map(fieldsOf);
  const detail = (type: string, domain?: string) =>
    fieldsOf(details.find((one) => one.type === type && (!domain || fieldsOf(one.debug).domain === domain))?.debug);
  // A proxy may add an ErrorInfo with its own domain.
  const { reason } = detail("google.rpc.ErrorInfo", "platform.v1");
  const isConflict = reason === "VERSION_CONFLICT";
  const conflict = isConflict ? rebuild(versionConflictShape, detail("platform.v1.VersionConflict")) : undefined;
  const retryAfterMs = toMs(detail("google.rpc.RetryInfo").retryDelay) ?? toMs(headers["retry-after"]);
  if (!isReasonName(reason) || (isConflict && !conflict)) {
    // A success may contain tokens, unless it is a page.
    const excerpt = ok && !text.startsWith("<") ? "" : call.redact(text.trim()).slice(0, shownCharacters);
    return createError(call, {
      ...{ reason: "MALFORMED_RESPONSE", code: fallback, retryAfterMs, status: answer.status, headers },
      text: `${call.host} answered ${status || ""}${excerpt && ` "${excerpt}"`}, not as the platform does. Check baseUrl and proxies.`,
    });
  }
  const { message, code } = body;
  const violations = rebuild(violationsShape, detail("google.rpc.BadRequest").fieldViolations) ?? [];
  const rules = violations.map(({ field, description }) => `${field}: ${description}.`);
  const scope = reason === "INSUFFICIENT_SCOPE" && /scope="([^"]+)"/.exec(headers["www-authenticate"] ?? "")?.[1];
  return createError(call, {
    ...{ reason, retryAfterMs, status: answer.status, headers, violations, detail: conflict },
    code: isErrorCode(code) ? code : fallback,
    text: [
      typeof message === "string" ? message : "The platform refused the call.",
      ...rules,
      scope && `Missing scope: ${scope}.`,
    ]
      .filter(Boolean)
      .join(" "),
  });
}

/** A google.protobuf.Duration in JSON, such as "1.5s", or the seconds of a Retry-After header. */
function toMs(delay: unknown): number | undefined {
  const ms = typeof delay === "string" ? Number.parseFloat(delay) * 1000 : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

/** The code of an answer without an error body. */
export function codeOfStatus(status: number): PlatformErrorCode {
  if (status === 401) return "unauthenticated";
  if (status === 429) return "resource_exhausted";
  return status > 501 ? "unavailable" : "unknown";
}
