import { isPlatformError } from "@platform-rpc/client";

/** Lists something about an item as soon as the rate of the caller admits it. About an item that does not exist any more, there is nothing. */
export async function whenAccepted<Listed>(
  list: () => Promise<readonly Listed[]>,
  sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
): Promise<readonly Listed[]> {
  for (;;) {
    try {
      return await list();
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (isPlatformError(cause, "ITEM_NOT_FOUND")) return [];
      if (!isPlatformError(cause, "RATE_LIMITED")) throw error;
      await sleep(cause.retryAfterMs ?? 1_000);
    }
  }
}
