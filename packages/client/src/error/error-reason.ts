import type { ContractErrorReason } from "../contract.js";

/**
 * A reason that this package gives, because no answer of the platform did:
 *
 * - `NETWORK_ERROR`: no answer arrived, or only a part of one. The call may have taken effect.
 * - `MALFORMED_RESPONSE`: what answered does not speak the contract: a proxy's page, broken JSON, a missing field, more than
 *   1 MiB.
 * - `TOKEN_UNAVAILABLE`: the token provider failed, or gave something that is no bearer token. The attempt was not
 *   sent; one before it may have taken effect.
 * - `INTERCEPTOR_FAILED`: an interceptor of the client's own threw.
 * - `ACCESS_DENIED`: the device authorization that was waited for is denied.
 * - `EXPIRED_TOKEN`: the device code that was waited for has expired.
 */
export type ClientErrorReason =
  | "NETWORK_ERROR"
  | "MALFORMED_RESPONSE"
  | "TOKEN_UNAVAILABLE"
  | "INTERCEPTOR_FAILED"
  | "ACCESS_DENIED"
  | "EXPIRED_TOKEN";

/**
 * Why a call failed: a closed union, made from the contract, so that a `switch` over it can be exhaustive. A platform that is
 * newer than this package may give a reason that it does not have yet: go by `code` and `retryable` there.
 */
export type PlatformErrorReason = ContractErrorReason | ClientErrorReason;
