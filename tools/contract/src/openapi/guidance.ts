/** What people are told of a reason beyond what the contract says of it. */
export interface Guidance {
  readonly title: string;
  /** The message that the server sends with it. */
  readonly message: string;
  /** How it comes to that, one cause each. */
  readonly causes: readonly string[];
  /** What to do, in order. */
  readonly remedies: readonly string[];
}

const waitAndRetry =
  "Wait for the seconds in the Retry-After header (`retryDelay` in the RetryInfo detail), then call again.";

/** By reason. The document and the pages are not made while one is missing, or is of no reason. */
export const guidance: Readonly<Record<string, Guidance>> = {
  INVALID_FIELD: {
    title: "A field or header breaks a rule",
    message: "The request breaks the rules of the contract. The details name each field or header; mend them.",
    causes: [
      "A required field is missing, empty, too long, or does not match its pattern.",
      "A field has a value of another JSON type than its own.",
      "The Idempotency-Key header is not 16 to 128 visible ASCII characters.",
      "In `@platform-rpc/client`, without violations: `headers`, `userAgent` or `idempotencyKey` cannot be sent, or the request is no JSON.",
    ],
    remedies: ["Read `fieldViolations` in the BadRequest detail, mend each field it names, and call again."],
  },
  MALFORMED_JSON: {
    title: "The body is not JSON",
    message: "The body is not one JSON object in UTF-8 with each key once. Mend the body.",
    causes: [
      "The body is empty, cut short, or not an object.",
      "An object in it has the same key twice.",
      "It begins with a byte order mark, or is not UTF-8.",
    ],
    remedies: ["Make the body with a JSON encoder, and send it as UTF-8."],
  },
  PROTOCOL_VERSION_REQUIRED: {
    title: "The protocol version is missing",
    message: "The header `Connect-Protocol-Version: 1` is required.",
    causes: ["The header is missing, came twice, or has another value than 1.", "A proxy removed it."],
    remedies: ["Send `Connect-Protocol-Version: 1` with every call."],
  },
  INVALID_TIMEOUT: {
    title: "The timeout is not a number of milliseconds",
    message: "The header Connect-Timeout-Ms must be a whole number of milliseconds above 0, of 1 to 10 digits.",
    causes: ["The header is empty, 0, negative, has a fraction or a unit, or is longer than 10 digits."],
    remedies: ["Send whole milliseconds, as `5000`, or leave the header out: a call then has 15 seconds."],
  },
  TOKEN_IN_QUERY: {
    title: "A token or code in the URL",
    message:
      "The URL carries a token or code, and URLs end up in logs. Treat it as leaked, revoke it, and send tokens in the Authorization header only.",
    causes: ["A query parameter is named like a token or code, or its value looks like one."],
    remedies: [
      "Treat the token or code as leaked: have it revoked.",
      "Send tokens in the Authorization header, and device codes in the body.",
    ],
  },
  MALFORMED_HTTP: {
    title: "The request is not HTTP",
    message: "The request is not well-formed HTTP/1.1.",
    causes: [
      "The request line, a header or the framing of the body breaks RFC 9112.",
      "The Host header is missing or came twice.",
    ],
    remedies: ["Call with an ordinary HTTP client. If you do, look at the proxies in between."],
  },
  UNAUTHENTICATED: {
    title: "No valid access token",
    message: "A valid access token is required: `Authorization: Bearer <ACCESS_TOKEN>`. Get a new token.",
    causes: [
      "The Authorization header is missing, came twice, or has another scheme than Bearer.",
      "The token has expired: tokens live for at most 900 seconds.",
      "The token, its grant or its principal was revoked, or it is meant for another audience.",
    ],
    remedies: [
      "Get a new access token and call again, once.",
      "If a new token is refused too, check its issuer and audience. Which of the causes it was is told to nobody.",
    ],
  },
  TOKEN_NOT_ALLOWLISTED: {
    title: "The OAuth client may not call this operation",
    message: "The token's OAuth client is not allowed to call this operation. Ask for it to be allowlisted.",
    causes: ["The policy does not list the operation for the token's OAuth client.", "The OAuth client is disabled."],
    remedies: [
      "Ask the administrator of the tenant to allowlist the OAuth client. Another token of it changes nothing.",
    ],
  },
  INSUFFICIENT_SCOPE: {
    title: "The token lacks a scope",
    message:
      "The token lacks a scope that this operation requires; the WWW-Authenticate header names it. Get a token that holds it.",
    causes: ["The token was issued without the scope. Scopes are compared exactly: there are no wildcards."],
    remedies: ["Get a token with the scopes that the WWW-Authenticate header names."],
  },
  ROLE_FORBIDS_DELETE: {
    title: "Your role may not delete",
    message: "Your role in this vault does not allow deleting items. Ask an owner or admin of the vault.",
    causes: ["The principal is a member of the vault as a viewer, or in another role than owner, admin or member."],
    remedies: ["Ask an owner or admin of the vault to delete the item, or to change your role."],
  },
  PRINCIPAL_DISABLED: {
    title: "The approver is not active",
    message: "The principal that approves is not active. Ask an administrator, then start a new device authorization.",
    causes: ["The principal was disabled after it had approved and before the code was exchanged."],
    remedies: [
      "Stop polling: the code is burned.",
      "Start a new device authorization, and have an active principal approve it.",
    ],
  },
  VAULT_NOT_FOUND: {
    title: "The vault is not there for you",
    message: "There is no such vault, or you are no member of it.",
    causes: [
      "There is no such vault, or it belongs to another tenant.",
      "The token's principal is no member of it. All three have the same answer, so that nobody can search for vaults.",
    ],
    remedies: [
      "Check `vaultId`, and the tenant and principal that the token is for.",
      "Ask an owner or admin of the vault to make you a member.",
    ],
  },
  ITEM_NOT_FOUND: {
    title: "The item is not there",
    message: "There is no such item in this vault.",
    causes: ["The item is in another vault, or never was. A deleted item is still found."],
    remedies: ["Check `itemId` and `vaultId`. Do not retry: it will not appear."],
  },
  DEVICE_CODE_INVALID: {
    title: "The device code is not yours",
    message: "The device code is not one of yours. Start a new device authorization.",
    causes: [
      "The device code is unknown.",
      "It was started by another tenant or OAuth client. Both have the same answer.",
    ],
    remedies: [
      "Send the device code exactly as it was given, with a token of the OAuth client that started it.",
      "Otherwise start a new device authorization.",
    ],
  },
  VERSION_CONFLICT: {
    title: "The item has moved on",
    message:
      "The item is not at the base version; the details say where it stands. Read it, decide again, and call again.",
    causes: ["Somebody changed, deleted or restored the item since you last saw it."],
    remedies: [
      "Read the VersionConflict detail: if `deleted` is true, there is nothing left to do.",
      "Otherwise read the item at `currentVersion`, decide again whether to delete it, and call with that version.",
    ],
  },
  DEVICE_CODE_CONSUMED: {
    title: "The device code was exchanged already",
    message: "The device code was exchanged already. Start a new device authorization.",
    causes: [
      "The tokens were handed out before, and the 60 seconds in which the same Idempotency-Key gets them again are over.",
      "The call came without the Idempotency-Key of the first, or from another principal.",
    ],
    remedies: [
      "Start a new device authorization.",
      "Send an Idempotency-Key with every poll, so that a lost answer can be had again.",
    ],
  },
  SEQUENCE_EXHAUSTED: {
    title: "The vault is used up",
    message: "The vault has used its last sequence number. Move its items to a new vault.",
    causes: ["The vault has seen 4294967295 changes."],
    remedies: ["Move its items to a new vault."],
  },
  RATE_LIMITED: {
    title: "Too many calls",
    message: "Too many calls. Try again after the time in the Retry-After header.",
    causes: ["The principal calls the operation more often than its rate allows."],
    remedies: [waitAndRetry, "Spread calls over time: a burst is allowed, a flood is not."],
  },
  REQUEST_TOO_LARGE: {
    title: "The body is too large",
    message: "The body is too large. Do not send it again as it is.",
    causes: ["The body is larger than 64 KiB."],
    remedies: ["Send a smaller body. There is no RetryInfo detail: never retry it as it is."],
  },
  HEADERS_TOO_LARGE: {
    title: "The headers are too large",
    message: "The request line and headers are too large. Send fewer or shorter headers.",
    causes: [
      "The request line and headers are larger than 16 KiB together.",
      "A proxy or a browser adds many cookies.",
    ],
    remedies: ["Send fewer or shorter headers."],
  },
  OPERATION_UNKNOWN: {
    title: "There is no such operation",
    message: "There is no such operation here. Check the path: /<package>.<Service>/<Method>.",
    causes: ["The path is misspelled, or lacks the base path of the server.", "The operation is not public."],
    remedies: ["Check the path, capital letters included."],
  },
  METHOD_NOT_ALLOWED: {
    title: "Operations are called by POST",
    message: "Operations are called by POST.",
    causes: ["The request is a GET, PUT or anything else but a POST.", "A redirect turned the POST into a GET."],
    remedies: ["Send a POST, to the address itself and not to one that redirects."],
  },
  REQUEST_TIMEOUT: {
    title: "The request came too slowly",
    message: "The request was not sent in time, and nothing was done. Send it again.",
    causes: ["Headers and body did not arrive within 10 seconds."],
    remedies: ["Send the request again: nothing was done."],
  },
  MEDIA_TYPE_UNSUPPORTED: {
    title: "The body is not announced as JSON",
    message: "The header `Content-Type: application/json` is required: JSON is the one format spoken here.",
    causes: [
      "The Content-Type header is missing, or names another media type: application/proto, gRPC and gRPC-Web are not spoken.",
      "It has another parameter than `charset=utf-8`.",
    ],
    remedies: ["Send `Content-Type: application/json`. In Connect clients switch the binary format off."],
  },
  EXPECTATION_FAILED: {
    title: "The Expect header cannot be met",
    message: "The Expect header may only be `100-continue`.",
    causes: ["The Expect header asks for something other than `100-continue`."],
    remedies: ["Leave the header out."],
  },
  CANCELED: {
    title: "The caller went away",
    message: "The caller went away before the answer.",
    causes: [
      "The caller closed the connection while the call was running. Nobody receives this answer.",
      "In `@platform-rpc/client`: the `signal` of the call was aborted, also by `AbortSignal.timeout`.",
    ],
    remedies: ["Nothing. The call may have taken effect: retry by the operation's retry safety."],
  },
  INTERNAL: {
    title: "The server failed",
    message: "The server failed. Report the request id.",
    causes: ["A fault of the server. What it was stands in its log, under the request id."],
    remedies: ["Report the request id.", "The call may have taken effect: retry by the operation's retry safety."],
  },
  ENCODING_UNSUPPORTED: {
    title: "The body is compressed",
    message: "Encoded bodies are not supported. Send the body as it is, without Content-Encoding.",
    causes: ["Content-Encoding is anything but `identity`, or Transfer-Encoding more than `chunked`."],
    remedies: ["Switch compression of request bodies off: they are small and mostly ciphertext."],
  },
  UNAVAILABLE: {
    title: "The server cannot answer now",
    message: "The server cannot answer now. Try again after the time in the Retry-After header.",
    causes: ["The server is stopping.", "A queue is full, or the storage cannot answer."],
    remedies: [waitAndRetry, "The call may have taken effect: retry by the operation's retry safety."],
  },
  DEADLINE_EXCEEDED: {
    title: "The time ran out",
    message:
      "The time for the call ran out, and it may have taken effect. Retry as the operation's retry safety allows.",
    causes: [
      "The call took longer than Connect-Timeout-Ms, or than 15 seconds without it. 30 seconds is the most.",
      "In `@platform-rpc/client`: longer than `timeoutMs`, in which the token and all attempts must find room.",
    ],
    remedies: [
      "Retry by the operation's retry safety.",
      "Allow more time.",
      "Look at what the token provider waits for.",
    ],
  },
};
