import { createCaller } from "../call/call.js";
import { type DeviceLogin, withDeviceLogin } from "../device/device-login.js";
import { createServiceClients } from "../gen/json-services.js";
import type { BrokerToken, IdentityGatewayClient, ServiceClients } from "../gen/json-types.js";
import { type ClientContext, createContext } from "../options/client-context.js";
import type { CommonOptions, HttpOptions } from "../options/client-options.js";
import { environment } from "../options/environment.js";
import { httpRules } from "../options/option-rules.js";
import { createJsonCaller } from "./json-caller.js";

/** Where the platform is, on whose behalf to call, and how. */
export interface PlatformClientOptions extends CommonOptions, HttpOptions {}

/** Calls the platform in plain JSON. Create one and share it: it caches the token. */
export interface PlatformClient extends ServiceClients {
  readonly identityGateway: IdentityGatewayClient & DeviceLogin<BrokerToken>;
  /**
   * Returns a client with some options changed. It shares the retry budget and, with the same `token`, the cached token. An option
   * that is `undefined` gets its default, not the value of this client.
   */
  withOptions(changes: PlatformClientOptions): PlatformClient;
}

/**
 * Creates a client. It connects when it is called, not before.
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
 * @throws TypeError that names each option that is not valid, what is wrong and what is right.
 */
export function createPlatformClient(options: PlatformClientOptions = {}): PlatformClient {
  return derivedClient(options);
}

function derivedClient(options: PlatformClientOptions, base?: ClientContext): PlatformClient {
  const { baseUrl = environment("PLATFORM_URL"), fetch } = options;
  const context = createContext({ ...options, baseUrl }, httpRules, base);
  const services = createServiceClients(createJsonCaller({ baseUrl: context.baseUrl, fetch }, createCaller(context)));
  return {
    ...services,
    identityGateway: withDeviceLogin(services.identityGateway, context.clock),
    withOptions: (changes) => derivedClient({ ...options, ...changes }, context),
  };
}
