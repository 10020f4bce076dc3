import type { ConnectError } from "@connectrpc/connect";
import type { HttpAnswer } from "../wire/post-json.js";

/** The answers behind the errors of the HTTP transport. Apart, so that no interceptor logs them with the error. */
export const httpAnswers = new WeakMap<ConnectError, HttpAnswer>();
