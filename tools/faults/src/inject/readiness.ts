import { setTimeout } from "node:timers/promises";
import type { Target } from "../load/plan.ts";

const patienceMs = 60_000;

/** Returns whether a process of the app reports that it is ready. */
export async function isReady({ publicUrl }: Target): Promise<boolean> {
  try {
    const response = await fetch(`${publicUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Waits until a condition is true. Returns the milliseconds it took. @throws after a minute. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > patienceMs)
      throw new Error("The app did not reach the expected state in a minute.");
    await setTimeout(20);
  }
  return performance.now() - startedAt;
}

/** Waits until all processes of the app are ready. Returns the milliseconds it took. */
export function waitUntilReady(apps: readonly { readonly target: Target }[]): Promise<number> {
  return waitUntil(async () => (await Promise.all(apps.map(({ target }) => isReady(target)))).every(Boolean));
}
