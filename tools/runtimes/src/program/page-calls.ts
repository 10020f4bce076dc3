import { isPlatformError } from "@platform-rpc/client";
import { factories } from "./factories.ts";
import type { Entry, Item } from "./program-input.ts";

interface Address {
  readonly baseUrl: string;
  readonly token: string;
}

/** Returns the reason of a failed call. */
export async function callWithoutRetry(entry: Entry, address: Address, item: Item): Promise<string> {
  const { vault } = factories[entry]({ ...address, retry: false });
  const thrown: unknown = await vault.deleteItem(item).catch((thrown: unknown) => thrown);
  console.log("refused", thrown);
  return isPlatformError(thrown) ? (thrown.reason ?? thrown.code) : "it did not fail";
}

/** Calls until the platform returns RATE_LIMITED, and returns the Retry-After that the page could read. */
export async function callUntilLimited(entry: Entry, address: Address, item: Item) {
  const readable: (string | null)[] = [];
  const { vault } = factories[entry]({
    ...address,
    retry: false,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 429) readable.push(response.headers.get("Retry-After"));
      return response;
    },
  });
  for (let round = 0; round < 20; round += 1) {
    const calls = Array.from({ length: 50 }, () => vault.deleteItem(item).catch((thrown: unknown) => thrown));
    const limited = (await Promise.all(calls)).find((thrown) => isPlatformError(thrown, "RATE_LIMITED"));
    if (isPlatformError(limited)) return { retryAfterMs: limited.retryAfterMs, retryAfter: readable[0] };
  }
  return {};
}

/** Returns the request ids and Idempotency-Keys of two calls, and whether `crypto.randomUUID` is available. */
export async function sentIds(
  entry: Entry,
): Promise<{ readonly hasRandomUuid: boolean; readonly ids: readonly string[] }> {
  const ids: string[] = [];
  const { identityGateway } = factories[entry]({
    baseUrl: "https://platform.example",
    token: "a-token",
    retry: false,
    fetch: async (_, init) => {
      const headers = new Headers(init?.headers);
      ids.push(headers.get("X-Request-Id") ?? "", headers.get("Idempotency-Key") ?? "");
      return new Response(null, { status: 500 });
    },
  });
  for (const deviceCode of ["first", "second"])
    await identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }).catch(() => undefined);
  return { hasRandomUuid: "randomUUID" in crypto, ids };
}
