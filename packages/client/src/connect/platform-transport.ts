import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createCaller } from "../caller.js";
import { readOptions } from "../client-options.js";
import { deleteItemOperation, exchangeOperation, type Operation } from "../contract.js";
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
 * import { createPlatformTransport } from "@platform/client";
 * import { VaultService } from "@platform/types";
 *
 * const vault = createClient(VaultService, createPlatformTransport({ baseUrl, token }));
 * const { item } = await vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
 * console.log(item?.version);
 * // 4
 * ```
 *
 * @throws TypeError when an option is not acceptable. The message names the option and does not repeat its value.
 */
export function createPlatformTransport(options: PlatformClientOptions): Transport {
  const caller = createCaller(readOptions(options));
  const transport = options.transport ?? createHttpTransport(options);
  return {
    async unary(method, signal, timeoutMs, headers, input, contextValues) {
      const { response } = await caller(
        operationOf(method),
        (call) => {
          const send = prepareUnary(transport, method, input, call, contextValues);
          return async (outgoing) => {
            const response = await send(outgoing);
            return { answer: { response }, headers: response.header };
          };
        },
        { signal, timeoutMs, headers },
      );
      return response;
    },
    async stream() {
      throw new ConnectError("the platform has no streams", Code.Unimplemented);
    },
  };
}

/** What the contract's constants do not know is never sent again. */
function operationOf({ parent, name }: Pick<DescMethodUnary, "parent" | "name">): Operation {
  const known = [deleteItemOperation, exchangeOperation];
  const found = known.find(({ service, method }) => service === parent.typeName && method === name);
  return found ?? { service: parent.typeName, method: name, retrySafety: "NONE" };
}
