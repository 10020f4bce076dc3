import type { Operation } from "../contract.js";
import { exchangeMcpOauthDeviceAuthorizationOperation } from "../gen/operations.js";

/** Returns whether the fields of a response are consistent: an approved exchange must contain both tokens. */
export function isConsistent(operation: Operation, answer: object): boolean {
  if (operation !== exchangeMcpOauthDeviceAuthorizationOperation) return true;
  const { status, accessToken, brokerToken }: ExchangeParts = answer;
  return status === "approved" ? !!accessToken && !!brokerToken?.accessToken : !!status;
}

interface ExchangeParts {
  readonly status?: string;
  readonly accessToken?: string;
  readonly brokerToken?: { readonly accessToken?: string } | undefined;
}
