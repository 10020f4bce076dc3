import type { PublicReason } from "./reasons.js";

/** What happened and what to do next, one or two sentences for each reason. */
export const messages: Readonly<Record<PublicReason, string>> = {
  INVALID_FIELD: "The request breaks the rules of the contract. The details name each field or header; mend them.",
  MALFORMED_JSON: "The body is not one JSON object in UTF-8 with each key once. Mend the body.",
  PROTOCOL_VERSION_REQUIRED: "The header `Connect-Protocol-Version: 1` is required.",
  INVALID_TIMEOUT: "The header Connect-Timeout-Ms must be a whole number of milliseconds above 0, of 1 to 10 digits.",
  TOKEN_IN_QUERY:
    "The URL carries a token or code, and URLs end up in logs. Treat it as leaked, revoke it, and send tokens in the Authorization header only.",
  MALFORMED_HTTP: "The request is not well-formed HTTP/1.1.",
  UNAUTHENTICATED: "A valid access token is required: `Authorization: Bearer <ACCESS_TOKEN>`. Get a new token.",
  TOKEN_NOT_ALLOWLISTED:
    "The token's OAuth client is not allowed to call this operation. Ask for it to be allowlisted.",
  INSUFFICIENT_SCOPE:
    "The token lacks a scope that this operation requires; the WWW-Authenticate header names it. Get a token that holds it.",
  ROLE_FORBIDS_DELETE: "Your role in this vault does not allow deleting items. Ask an owner or admin of the vault.",
  PRINCIPAL_DISABLED:
    "The principal that approves is not active. Ask an administrator, then start a new device authorization.",
  VAULT_NOT_FOUND: "There is no such vault, or you are no member of it.",
  ITEM_NOT_FOUND: "There is no such item in this vault.",
  DEVICE_CODE_INVALID: "The device code is not one of yours. Start a new device authorization.",
  VERSION_CONFLICT:
    "The item is not at the base version; the details say where it stands. Read it, decide again, and call again.",
  DEVICE_CODE_CONSUMED: "The device code was exchanged already. Start a new device authorization.",
  SEQUENCE_EXHAUSTED: "The vault has used its last sequence number. Move its items to a new vault.",
  RATE_LIMITED: "Too many calls. Try again after the time in the Retry-After header.",
  REQUEST_TOO_LARGE: "The body is too large. Do not send it again as it is.",
  HEADERS_TOO_LARGE: "The request line and headers are too large. Send fewer or shorter headers.",
  OPERATION_UNKNOWN: "There is no such operation here. Check the path: /<package>.<Service>/<Method>.",
  METHOD_NOT_ALLOWED: "Operations are called by POST.",
  REQUEST_TIMEOUT: "The request was not sent in time, and nothing was done. Send it again.",
  MEDIA_TYPE_UNSUPPORTED:
    "The header `Content-Type: application/json` is required: JSON is the one format spoken here.",
  EXPECTATION_FAILED: "The Expect header may only be `100-continue`.",
  CANCELED: "The caller went away before the answer.",
  INTERNAL: "The server failed. Report the request id.",
  ENCODING_UNSUPPORTED: "Encoded bodies are not supported. Send the body as it is, without Content-Encoding.",
  UNAVAILABLE: "The server cannot answer now. Try again after the time in the Retry-After header.",
  DEADLINE_EXCEEDED:
    "The time for the call ran out, and it may have taken effect. Retry as the operation's retry safety allows.",
};
