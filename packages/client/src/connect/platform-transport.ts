import type { DescMethodUnary } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { answered, type Operation } from "../call/call.js";
import { createCaller } from "../call/create-caller.js";
import { isError } from "../error/create-error.js";
import { operations } from "../gen/operations.js";
import { toConnectError } from "./connect-error.js";
import { connectClient, type PlatformClientOptions } from "./platform-client.js";
import { prepareUnary } from "./unary-attempt.js";

/**
 * Creates a transport of Connect with the tokens, deadlines, retries, hooks and request ids of the client. Use it with libraries
 * that take a transport: `createClient` of Connect, or `TransportProvider` of connect-query. Its calls reject with a
 * `ConnectError` whose `cause` is the `PlatformError`.
 *
 * @example
 * ```ts
 * import { createClient } from "@connectrpc/connect";
 * import { createPlatformTransport } from "@platform-rpc/client";
 * import { VaultService } from "@platform-rpc/types";
 *
 * const vault = createClient(VaultService, createPlatformTransport({ baseUrl, token }));
 * const { item } = await vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
 * console.log(item?.version);
 * // 4
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createPlatformTransport(options: PlatformClientOptions = {}): Transport {
  const { context, transport } = connectClient("createPlatformTransport", { ...options }, undefined, options);
  const caller = createCaller(context);
  return {
    async unary(method, signal, timeoutMs, headers, input, contextValues) {
      const operation = operationOf(method);
      const idempotencyKey = keyIn(headers);
      // In Connect, 0 or less means no limit.
      const limit = timeoutMs !== undefined && timeoutMs <= 0 ? Infinity : timeoutMs;
      const { unary } = await caller(
        operation,
        input,
        (call) => {
          const send = prepareUnary(transport, method, input, call, contextValues);
          return async (...sent) => {
            const response = await send(...sent);
            return answered(call, { unary: response }, { status: 200, headers: response.header });
          };
        },
        {
          signal,
          headers,
          timeoutMs: limit,
          ...(operation.retrySafety === "with_key" && { idempotencyKey }),
        },
      ).catch((error: unknown) => {
        throw isError(error) ? toConnectError(error) : error;
      });
      return unary;
    },
    async stream() {
      throw new ConnectError("the platform has no streams", Code.Unimplemented);
    },
  };
}

/** Returns the Idempotency-Key; undefined also for invalid headers, which the call rejects without repeating their values. */
function keyIn(headers: HeadersInit | undefined): string | undefined {
  try {
    return new Headers(headers).get("Idempotency-Key") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns an operation's constants. An operation that is not in the public contract is retried if its descriptor allows it. */
function operationOf({ parent, name, idempotency }: DescMethodUnary): Operation {
  const path = `${parent.typeName}/${name}`;
  const retrySafety = idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN ? "none" : "idempotent";
  return operations.find((one) => one.path === path) ?? { path, retrySafety, fields: [], required: [], secrets: [] };
}
