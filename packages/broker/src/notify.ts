/** Calls a hook. Ignores an error that it throws, or a promise that rejects: no hook changes how a request is answered. */
export function notify<Value>(hook: (value: Value) => unknown, value: Value): void {
  try {
    const returned = hook(value);
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // Ignored: see above.
  }
}
