import type { ConnectError } from "@connectrpc/connect";
import type { HttpAnswer } from "../wire/post-json.js";

/** The responses that caused the errors of the HTTP transport. Not on the error itself, so that no interceptor logs them. */
export const httpAnswers = new WeakMap<ConnectError, HttpAnswer>();
