import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "@platform-rpc/types";
import { errorCodes } from "../error/error-code.js";
import type { PlatformError } from "../error/platform-error.js";

/** Returns the `ConnectError` that libraries built on Connect expect, with the `PlatformError` as its cause. */
export function toConnectError(error: PlatformError): ConnectError {
  const { code, reason, requestId, headers, message } = error;
  const value = { reason: reason ?? "", domain: "platform.v1", metadata: { requestId } };
  const details = reason === undefined ? [] : [{ desc: ErrorInfoSchema, value }];
  return new ConnectError(message, errorCodes.indexOf(code) + 1, new Headers(headers), details, error);
}
