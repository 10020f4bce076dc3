import type { ContractErrorReason } from "../contract.js";

/**
 * A reason of this package, for failures without an answer of the platform:
 *
 * - `NETWORK_ERROR`: no answer arrived, or only a part of one. The call may have taken effect.
 * - `MALFORMED_RESPONSE`: the answer is not the platform's: a proxy's page, broken JSON, a missing field, more than 1 MiB.
 * - `TOKEN_UNAVAILABLE`: the token provider failed, or returned something that is not a bearer token. The attempt was not
 *   sent; one before it may have taken effect.
 * - `INTERCEPTOR_FAILED`: an interceptor of the client threw.
 * - `ACCESS_DENIED`: the user denied the device authorization.
 * - `EXPIRED_TOKEN`: the device code expired.
 */
export type ClientErrorReason =
  | "NETWORK_ERROR"
  | "MALFORMED_RESPONSE"
  | "TOKEN_UNAVAILABLE"
  | "INTERCEPTOR_FAILED"
  | "ACCESS_DENIED"
  | "EXPIRED_TOKEN";

/**
 * Why a call failed: a closed union, made from the contract, so that a `switch` over it can be exhaustive. A newer platform may
 * give a reason that this version does not have yet: go by `code` and `retryable` then.
 */
export type PlatformErrorReason = ContractErrorReason | ClientErrorReason;
