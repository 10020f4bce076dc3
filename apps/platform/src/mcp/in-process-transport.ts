import { ConnectError, createRouterTransport, type Interceptor, type Transport } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { connectHostOptions, type Routes, StorageError } from "@platform-rpc/server";
import type { Admit } from "@platform-rpc/server/host";
import { ErrorInfoSchema } from "@platform-rpc/types";
import type { CallEnd } from "../metrics/call-figures.js";

export interface InProcessOptions {
  readonly routes: readonly Routes[];
  readonly admit: Admit;
  /** Called with an error of an operation that its caller sees as INTERNAL. */
  readonly onFailed: (thrown: unknown) => void;
  /** Records the calls, for metrics. */
  readonly onCallEnd: (end: CallEnd) => void;
}

/**
 * Creates a function that returns transports for calls in this process, with the gate and the errors of calls over HTTP. The calls of one
 * transport have the id of the request that leads to them, which the audit trail records.
 */
export function createInProcessTransports({
  routes,
  admit,
  onFailed,
  onCallEnd,
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
    async unary(method, signal, timeoutMs, header, ...rest) {
      const headers = new Headers(header);
      headers.set("X-Request-Id", requestId);
      const startedAt = performance.now();
      let reason: string | undefined;
      try {
        return await unary(method, signal, timeoutMs, headers, ...rest);
      } catch (thrown) {
        reason = reasonOf(thrown);
        throw thrown;
      } finally {
        const operation = `${method.parent.typeName}/${method.name}`;
        onCallEnd({ operation, reason, durationMs: performance.now() - startedAt });
      }
    },
  });
}

/** Returns the reason of an error. A call that its caller has canceled, or whose time is over, has only a code. */
function reasonOf(thrown: unknown): string {
  const error = ConnectError.from(thrown);
  const [info] = error.findDetails(ErrorInfoSchema);
  return info?.reason ?? codeToString(error.code).toUpperCase();
}
