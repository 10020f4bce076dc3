import type { AccountsEnvironment } from "@platform-rpc/accounts/http/environment";
import { letPagesRead } from "@platform-rpc/accounts/http/open-to-pages";
import { describeFailure, type RequestError } from "@platform-rpc/accounts/http/request-error";
import type { Context } from "hono";

/** Returns the error of a request whose message was not read (JSON-RPC 2.0 section 5). */
export function jsonRpcError(message: string) {
  return { jsonrpc: "2.0", error: { code: -32_000, message }, id: null };
}

/** Responds to a request that failed, whatever its path is. Pages can read why, also before the middleware that lets them. */
export function jsonRpcFailure(context: Context<AccountsEnvironment>, error: RequestError) {
  const { status, whole } = describeFailure(error, context.get("requestId"));
  letPagesRead(context);
  if (error.waitMs !== undefined) context.header("Retry-After", String(Math.ceil(error.waitMs / 1000)));
  return context.json(jsonRpcError(whole), status);
}
