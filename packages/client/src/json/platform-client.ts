import { type ClientContext, createContext } from "../call/client-context.js";
import { createCaller } from "../call/create-caller.js";
import { createServiceClients } from "../gen/json-services.js";
import type { ServiceClients } from "../gen/json-types.js";
import type { CommonOptions, HttpOptions } from "../options/client-options.js";
import type { Clock } from "../options/clock.js";
import { httpRules } from "../options/option-rules.js";
import { createJsonCaller } from "./json-caller.js";

/** The URL of the platform, the caller's token, and how to call. */
export interface PlatformClientOptions extends CommonOptions, HttpOptions {}

/** Calls the platform in plain JSON. Create one and share it: it caches the token. */
export interface PlatformClient extends ServiceClients {
  /** The clock that the client waits with. */
  readonly clock: Clock;
  /**
   * Returns a client with some options changed. It shares the retry budget of this client and, if `token` is the same, its cached
   * token. An option that you set to `undefined` gets its default, not the value of this client.
   */
  withOptions(changes: PlatformClientOptions): PlatformClient;
}

/**
 * Creates a client. It does not connect before the first call.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client/json";
 *
 * const client = createPlatformClient({ baseUrl, token });
 * const { item, cursor } = await client.vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
 * console.log(item.version, JSON.stringify(cursor));
 * // 4 {"vaultId":"personal","sequence":2}
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createPlatformClient(options: PlatformClientOptions = {}): PlatformClient {
  return derivedClient(options);
}

function derivedClient(
  given: PlatformClientOptions,
  base?: ClientContext,
  before?: PlatformClientOptions,
): PlatformClient {
  const options = { ...before, ...given };
  const context = createContext(base ? "withOptions" : "createPlatformClient", options, httpRules, base, given);
  const target = { baseUrl: context.baseUrl, fetch: options.fetch };
  return {
    ...createServiceClients(createJsonCaller(target, createCaller(context))),
    clock: context.clock,
    withOptions: (changes) => derivedClient(changes, context, options),
  };
}
