import type { Operation } from "../contract.js";
import { exchangeMcpOauthDeviceAuthorizationOperation } from "../gen/operations.js";

/** Whether a complete answer also makes sense: an exchange that is approved must bring both tokens. */
export function isConsistent(operation: Operation, answer: object): boolean {
  if (operation.path !== exchangeMcpOauthDeviceAuthorizationOperation.path) return true;
  const { status, accessToken, brokerToken }: ExchangeParts = answer;
  return status === "approved" ? !!accessToken && !!brokerToken?.accessToken : !!status;
}

interface ExchangeParts {
  readonly status?: string;
  readonly accessToken?: string;
  readonly brokerToken?: { readonly accessToken?: string } | undefined;
}
