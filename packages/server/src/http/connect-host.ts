import {
  Code,
  ConnectError,
  type ConnectRouterOptions,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import { type Contract, publicContract } from "../contract/contract.js";
import { readOperation } from "../contract/operation.js";
import type { AdmittedCaller } from "../domain/model/access.js";
import type { Admit } from "../services/admission.js";
import { callKey } from "../services/call.js";
import type { Routes } from "../services/routes.js";
import { rpcError, withReasons, withRequestId } from "../services/rpc-error.js";
import { toRpcError } from "../services/to-rpc-error.js";
import { defaultLimits } from "./limits.js";
import { requirePlatform } from "./option-rules.js";
import type { GatedRoutes } from "./options.js";
import { parseTarget, queryContainsSecret, requestIdFrom } from "./request-head.js";

/** The options of `connectNodeAdapter` and other Connect adapters. */
export type ConnectHostOptions = ConnectRouterOptions & { readonly routes: Routes };

const requestIdHeader = "X-Request-Id";

/**
 * Returns the options with which a stock Connect host (`connectNodeAdapter`, connect-fastify, …) serves the platform's
 * routes behind their gate. Token, allowlist, scope and rate are checked before the body is read, as in the listener.
 *
 * Prefer the listener where you can. A Connect host has its own responses for unknown paths, wrong media types and bodies
 * that do not parse, accepts numbers in strings such as "0x1", and is slower.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { connectNodeAdapter } from "@connectrpc/connect-node";
 * import { connectHostOptions } from "@platform-rpc/server";
 *
 * const host = createServer(connectNodeAdapter(connectHostOptions(platform)));
 * console.log(host.listening);
 * // false
 * ```
 */
export function connectHostOptions(platform: GatedRoutes): ConnectHostOptions {
  requirePlatform("connectHostOptions", platform);
  const { routes, admit, contract = publicContract } = platform;
  return {
    routes,
    requestGate: createRequestGate(admit, contract),
    interceptors: [completeErrors(contract)],
    requireConnectProtocolHeader: true,
    grpc: false,
    grpcWeb: false,
    readMaxBytes: defaultLimits.bodyBytes,
    jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: true },
  };
}

function createRequestGate(admit: Admit, contract: Contract) {
  return async (context: HandlerContext): Promise<void> => {
    const requestId = requestIdFrom(context.requestHeader.get(requestIdHeader) ?? undefined);
    context.responseHeader.set(requestIdHeader, requestId);
    context.responseHeader.set("Cache-Control", "no-store");
    const operation = readOperation(context.method);
    try {
      if (queryContainsSecret(parseTarget(context.url).query)) throw rpcError("TOKEN_IN_QUERY");
      for (const [name, value] of operation.deprecationHeaders) context.responseHeader.set(name, value);
      const caller: AdmittedCaller = await admit(context.requestHeader.get("Authorization") ?? undefined, operation);
      const { tenantId, principalId, oauthClientId, tokenId, delegation } = caller;
      context.values.set(callKey, {
        actor: { tenantId, principalId, oauthClientId, tokenId, operation: operation.operation, requestId },
        delegation,
        wanted: () => !context.signal.aborted,
      });
    } catch (thrown) {
      throw withRequestId(withReasons(toRpcError(thrown), contract.reasonsOf(operation)), requestId);
    }
  };
}

/** Adds the request id to errors of implementations, and replaces unexpected errors with INTERNAL, without their message. */
const completeErrors =
  (contract: Contract): Interceptor =>
  (next) =>
  async (request) => {
    try {
      return await next(request);
    } catch (thrown) {
      const requestId = request.contextValues.get(callKey)?.actor.requestId;
      const expected =
        thrown instanceof ConnectError && (thrown.code === Code.DeadlineExceeded || thrown.code === Code.Canceled);
      if (requestId === undefined || expected) throw thrown;
      const reasons = contract.reasonsOf(readOperation(request.method));
      throw withRequestId(withReasons(toRpcError(thrown), reasons), requestId);
    }
  };
