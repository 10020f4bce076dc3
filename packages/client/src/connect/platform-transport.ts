import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createCaller } from "../caller.js";
import { deleteItemOperation, exchangeOperation, type Operation } from "../contract.js";
import type { RetryPolicy } from "../retry.js";
import { createHttpTransport } from "./http-transport.js";
import type { PlatformClientOptions } from "./platform-client.js";
import { prepareUnary } from "./unary-attempt.js";

/**
 * A transport of Connect that calls as the client does: with its tokens, deadline, retries, hooks and request ids. For what
 * is built on transports: `createClient` of Connect, or `TransportProvider` of connect-query. Its calls reject with a
 * `PlatformError`, which `isPlatformError` tells.
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
 * @throws TypeError when `baseUrl` is not acceptable, RangeError when a fixed token is not. No message repeats them.
 */
export function createPlatformTransport(options: PlatformClientOptions): Transport {
  const caller = createCaller(options);
  const transport = options.transport ?? createHttpTransport(options);
  return {
    async unary(method, signal, timeoutMs, headers, input, contextValues) {
      const { operation, policy } = known(method);
      const idempotencyKey = keyIn(headers);
      const { response } = await caller(
        operation,
        (call, secrets) => {
          const send = prepareUnary(transport, method, input, call, secrets, contextValues);
          return async (...outgoing) => {
            const response = await send(...outgoing);
            return { response, requestId: call.requestId };
          };
        },
        // Zero or less, as Connect has it, is no limit.
        {
          ...{ signal, headers, idempotencyKey },
          timeoutMs: timeoutMs !== undefined && timeoutMs <= 0 ? longestTimeoutMs : timeoutMs,
        },
        policy,
      );
      return response;
    },
    async stream() {
      throw new ConnectError("the platform has no streams", Code.Unimplemented);
    },
  };
}

/** As long as timers can wait. */
const longestTimeoutMs = 2 ** 31 - 1;

/** Undefined also when they can be no headers: the call refuses those, and does not repeat them. */
function keyIn(headers: HeadersInit | undefined): string | undefined {
  try {
    return new Headers(headers).get("Idempotency-Key") ?? undefined;
  } catch {
    return undefined;
  }
}

/** What the contract's constants do not know is never sent again. */
function known({ parent, name }: Pick<DescMethodUnary, "parent" | "name">): {
  readonly operation: Operation;
  readonly policy?: RetryPolicy;
} {
  const path = `${parent.typeName}/${name}`;
  const operation = [deleteItemOperation, exchangeOperation].find(([known]) => known === path);
  return operation ? { operation } : { operation: [path, true], policy: (answer) => (answer ? undefined : 0) };
}
