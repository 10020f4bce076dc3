import { ConnectError, type Interceptor } from "@connectrpc/connect";

/** An interceptor of the client threw. Distinguishes that from an error of the server. Its cause is what was thrown. */
export class InterceptorError extends Error {
  override readonly name = "InterceptorError";
}

/** Returns the interceptors, between two of ours that distinguish an error they throw from one they pass on. */
export function guardInterceptors(interceptors: readonly Interceptor[]): Interceptor[] {
  const passedOn = new WeakSet<object>();
  const isPassedOn = (thrown: unknown): boolean => thrown instanceof Error && passedOn.has(thrown);
  const outermost: Interceptor = (next) => async (request) => {
    try {
      const response = await next(request);
      // The type forbids it, but JavaScript code may forget the `return`.
      if (!response?.message)
        throw new RangeError("The interceptor returned no response. Return what next(request) resolves with.");
      return response;
    } catch (thrown) {
      // An error made by `ConnectError.from(thrown)` has `thrown` as its cause.
      if (isPassedOn(thrown) || (thrown instanceof ConnectError && isPassedOn(thrown.cause))) throw thrown;
      throw new InterceptorError("an interceptor threw", { cause: thrown });
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
