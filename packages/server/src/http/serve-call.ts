import { create } from "@bufbuild/protobuf";
import type { TokenClaims } from "../domain/access.js";
import type { Call } from "../operations/call.js";
import type { Route } from "../rpc/routes.js";
import { rpcError } from "../rpc/rpc-error.js";
import { decodeMessage } from "./decode-message.js";
import { encodeMessage } from "./encode-message.js";
import { LazyHandlerContext } from "./handler-context.js";
import type { HttpExchange } from "./http-exchange.js";

/** The result of a call: the response body, and the headers that the handler has set. */
export interface Served {
  readonly body: string;
  readonly headers: readonly string[];
}

/**
 * Decodes the body, calls the implementation, and encodes its result.
 *
 * @throws RpcError DEADLINE_EXCEEDED when the deadline has passed or the caller has disconnected, INVALID_FIELD or
 * MALFORMED_JSON when the body cannot be decoded, and every error of the implementation.
 */
export async function serveCall(
  exchange: HttpExchange,
  route: Route,
  claims: TokenClaims,
  text: string,
): Promise<Served> {
  const { method, operation, implementation } = route;
  const message = decodeMessage(method.input, text);
  const wanted = () => !exchange.settled && performance.now() < exchange.deadlineAt;
  const call: Call = {
    actor: {
      tenantId: claims.tenantId,
      principalId: claims.principalId,
      oauthClientId: claims.oauthClientId,
      tokenId: claims.tokenId,
      operation: operation.operation,
      requestId: exchange.requestId,
    },
    wanted,
  };
  if (!wanted()) throw rpcError("DEADLINE_EXCEEDED");
  const context = new LazyHandlerContext(exchange, method, call);
  const response = create(method.output, await implementation(message, context));
  return { body: encodeMessage(method.output, response), headers: context.headersSet };
}
