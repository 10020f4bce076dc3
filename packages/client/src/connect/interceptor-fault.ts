import { ConnectError, type Interceptor } from "@connectrpc/connect";

/** Says that an interceptor of the client's own threw, so that its fault is not taken for one of the server. */
export class InterceptorFault extends Error {
  override readonly name = "InterceptorFault";
}

/** The interceptors, set between two of ours that tell what they throw from what they only pass on. */
export function guardInterceptors(interceptors: readonly Interceptor[]): Interceptor[] {
  const passedOn = new WeakSet<object>();
  const isPassedOn = (thrown: unknown): boolean => thrown instanceof Error && passedOn.has(thrown);
  const outermost: Interceptor = (next) => async (request) => {
    try {
      const response = await next(request);
      // Its type forbids that, but a forgotten `return` is easily written in JavaScript.
      if (!response?.message) throw new RangeError("an interceptor returned no response");
      return response;
    } catch (thrown) {
      // `ConnectError.from(thrown)` has what it was made from as its cause.
      if (isPassedOn(thrown) || (thrown instanceof ConnectError && isPassedOn(thrown.cause))) throw thrown;
      throw new InterceptorFault("an interceptor threw", { cause: thrown });
    }
  };
  const innermost: Interceptor = (next) => async (request) => {
    try {
      return await next(request);
    } catch (thrown) {
      if (thrown instanceof Error) passedOn.add(thrown);
      throw thrown;
    }
  };
  const guarded = interceptors.map(
    (interceptor): Interceptor =>
      (next) => {
        try {
          return interceptor(next);
        } catch (cause) {
          return () => Promise.reject(cause);
        }
      },
  );
  return [outermost, ...guarded, innermost];
}
