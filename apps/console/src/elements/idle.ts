/** The longest time that a busy page is waited for, in milliseconds: what waits is still done while somebody works in the page. */
const timeout = 2_000;

export function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no idle callbacks.
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve(), { timeout });
    else setTimeout(resolve, 200);
  });
}
