import { type ContractErrorReason, contractErrorReasons } from "./contract.js";

/**
 * A reason that this package gives, because no answer of the platform did:
 *
 * - `NETWORK_ERROR`: no answer arrived, or only a part of one. The call may have taken effect.
 * - `MALFORMED_RESPONSE`: what answered does not speak the contract: a proxy's page, broken JSON, a missing field.
 * - `TOKEN_UNAVAILABLE`: the token provider failed, or gave something that is no bearer token. Nothing was sent.
 * - `INTERCEPTOR_FAILED`: an interceptor of the client's own threw.
 * - `ACCESS_DENIED`: the device authorization that was waited for is denied.
 * - `EXPIRED_TOKEN`: the device code that was waited for has expired.
 * - `UNKNOWN`: the platform gave a reason that this version of the package does not know. Go by `code` and `retryable`,
 *   and update the package.
 */
export type ClientErrorReason =
  | "NETWORK_ERROR"
  | "MALFORMED_RESPONSE"
  | "TOKEN_UNAVAILABLE"
  | "INTERCEPTOR_FAILED"
  | "ACCESS_DENIED"
  | "EXPIRED_TOKEN"
  | "UNKNOWN";

/** Why a call failed: a closed union, so that a `switch` over it can be exhaustive. */
export type PlatformErrorReason = ContractErrorReason | ClientErrorReason;

/** Whether a name is one of the contract's reasons, as this version of the package knows it. */
export function isContractErrorReason(name: string): name is ContractErrorReason {
  return contractErrorReasons.some((reason) => reason === name);
}
