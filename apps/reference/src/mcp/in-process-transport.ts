import { ConnectError, createRouterTransport, type Interceptor, type Transport } from "@connectrpc/connect";
import { type Admit, connectHostOptions, type Routes, StorageError } from "@platform-rpc/server";
import { internalContract } from "../rpc/reasons.js";

export interface InProcessOptions {
  readonly routes: readonly Routes[];
  /** The gate of each call. */
  readonly admit: Admit;
  /** Called with an error of an operation that its caller sees as INTERNAL. */
  readonly onFailed: (thrown: unknown) => void;
}

/**
 * Creates a function that returns transports for calls in this process, with the gate and the errors of calls over HTTP. The calls of one
 * transport have the id of the request that leads to them, which the audit trail records.
 */
export function createInProcessTransports({
  routes,
  admit,
  onFailed,
}: InProcessOptions): (requestId: string) => Transport {
  const { routes: gated, ...router } = connectHostOptions({
    routes(connectRouter) {
      for (const register of routes) register(connectRouter);
    },
    admit,
    contract: internalContract,
  });
  /** The last one, so that it sees the errors before they become INTERNAL. */
  const report: Interceptor = (next) => async (request) => {
    try {
      return await next(request);
    } catch (thrown) {
      if (!(thrown instanceof ConnectError || thrown instanceof StorageError)) onFailed(thrown);
      throw thrown;
    }
  };
  const interceptors = [...(router.interceptors ?? []), report];
  const { unary, stream } = createRouterTransport(gated, { router: { ...router, interceptors } });
  return (requestId) => ({
    stream,
    unary(method, signal, timeoutMs, header, ...rest) {
      const headers = new Headers(header);
      headers.set("X-Request-Id", requestId);
      return unary(method, signal, timeoutMs, headers, ...rest);
    },
  });
}
