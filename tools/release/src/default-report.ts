import { createPlatformClient } from "@platform-rpc/client/json";
import { defaultLimits } from "@platform-rpc/server/host";

/**
 * Returns the defaults of a package that its callers notice, each as one constant: what the built client does, and the limits of the
 * built server.
 */
export async function defaultReport(name: string): Promise<readonly string[]> {
  const defaults = name.endsWith("/client") ? await clientDefaults() : name.endsWith("/server") ? serverDefaults() : {};
  return Object.entries(defaults).map(([key, value]) => `const ${key} = ${value};`);
}

function serverDefaults(): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(defaultLimits).map(([key, value]) => [`defaultLimits.${key}`, value]));
}

/** Calls a server that never responds, on a clock that stands still. */
async function clientDefaults(): Promise<Readonly<Record<string, number>>> {
  const timeouts: number[] = [];
  const silent = () => {};
  const client = createPlatformClient({
    baseUrl: "https://api.example.com",
    token: "none",
    clock: { now: () => 0, sleep: async () => {}, after: () => silent },
    logger: { debug: silent, info: silent, warn: silent },
    async fetch(_url, { headers }) {
      timeouts.push(Number(headers["connect-timeout-ms"]));
      throw new TypeError("no response");
    },
  });
  const call = async (options: { readonly timeoutMs?: number }) => {
    timeouts.length = 0;
    await client.vault.deleteItem({ vaultId: "v", itemId: "i", baseVersion: 1 }, options).catch(silent);
    const [first = Number.NaN] = timeouts;
    return { first, attempts: timeouts.length };
  };
  const { first: timeoutMs, attempts } = await call({});
  const { first: attemptTimeoutMs } = await call({ timeoutMs: Number.POSITIVE_INFINITY });
  return { timeoutMs, "retry.maxAttempts": attempts, "retry.attemptTimeoutMs": attemptTimeoutMs };
}
