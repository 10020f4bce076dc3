import type { ContractErrorReason } from "../contract.js";

/**
 * A reason that only this package uses, for failures that are not an error response of the platform:
 *
 * - `NETWORK_ERROR`: no response arrived, or only a part of one. The call may have taken effect, unless its cause says that the
 *   server was never reached, such as `ECONNREFUSED`.
 * - `MALFORMED_RESPONSE`: the response is not one of the platform's: a proxy's page, broken JSON, a missing field, or more than
 *   1 MiB.
 * - `TOKEN_UNAVAILABLE`: the token provider failed, or returned something that is not a bearer token. This attempt was not
 *   sent; an earlier one may have taken effect.
 * - `INTERCEPTOR_FAILED`: an interceptor of the client threw.
 * - `ACCESS_DENIED`: the user denied the login.
 * - `EXPIRED_TOKEN`: the device code, or the login in a browser, expired.
 */
export type ClientErrorReason =
  | "NETWORK_ERROR"
  | "MALFORMED_RESPONSE"
  | "TOKEN_UNAVAILABLE"
  | "INTERCEPTOR_FAILED"
  | "ACCESS_DENIED"
  | "EXPIRED_TOKEN";

/**
 * Why a call failed: a closed union, generated from the contract, so that a `switch` over it can be exhaustive. A newer platform
 * may return a reason that this version does not know yet. Handle such a reason by `code` and `retryable`.
 */
export type PlatformErrorReason = ContractErrorReason | ClientErrorReason;
