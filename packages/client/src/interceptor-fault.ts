import type { Interceptor } from "@connectrpc/connect";

/** Says that an interceptor of the client's own threw, so that its fault is not taken for one of the server. */
export class InterceptorFault extends Error {
  override readonly name = "InterceptorFault";
}

/** The interceptors, set between two of ours that tell what they throw from what they only pass on. */
export function guardInterceptors(interceptors: readonly Interceptor[]): Interceptor[] {
  const passedOn = new WeakSet<object>();
  const outermost: Interceptor = (next) => async (request) => {
    try {
      const response = await next(request);
      // Its type forbids that, but a forgotten `return` is easily written in JavaScript.
      if (response === undefined) throw new RangeError("an interceptor returned nothing");
      return response;
    } catch (thrown) {
      if (typeof thrown === "object" && thrown !== null && passedOn.has(thrown)) throw thrown;
      throw new InterceptorFault("an interceptor threw", { cause: thrown });
    }
  };
  const innermost: Interceptor = (next) => async (request) => {
    try {
      return await next(request);
    } catch (thrown) {
      if (typeof thrown === "object" && thrown !== null) passedOn.add(thrown);
      throw thrown;
    }
  };
  return [outermost, ...interceptors, innermost];
}
