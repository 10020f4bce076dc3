import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { localError } from "../call-error.js";
import { createCaller } from "../caller.js";
import { readOptions } from "../client-options.js";
import { deleteItemOperation, exchangeOperation, type Operation } from "../contract.js";
import { connectError } from "./connect-error.js";
import { createHttpTransport } from "./http-transport.js";
import { mistypedFields } from "./mistyped-fields.js";
import type { PlatformClientOptions } from "./platform-client.js";

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
          const message = create(method.input, input);
          const violations = mistypedFields(method.input, message);
          if (violations.length > 0) throw localError("INVALID_FIELD", call, { violations });
          if ("deviceCode" in message && typeof message.deviceCode === "string") call.secrets.add(message.deviceCode);
          return async (outgoing) => {
            const { headers, signal, timeoutMs } = outgoing;
            const unary = async () => transport.unary(method, signal, timeoutMs, headers, message, contextValues);
            const response = await unary().catch((thrown: unknown) => {
              throw connectError(thrown, call);
            });
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
