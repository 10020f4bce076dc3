import { createCaller } from "../call/call.js";
import { type DeviceLogin, withDeviceLogin } from "../device/device-login.js";
import { createServiceClients } from "../gen/json-services.js";
import type { BrokerToken, IdentityGatewayClient, ServiceClients } from "../gen/json-types.js";
import { hostOf, readBaseUrl } from "../options/check-options.js";
import { type ClientContext, createContext } from "../options/client-context.js";
import type { CommonOptions, HttpOptions } from "../options/client-options.js";
import { createJsonCaller } from "./json-caller.js";

/** Where the platform is, on whose behalf to call, and how. */
export interface PlatformClientOptions extends CommonOptions, HttpOptions {}

/** Calls the platform in plain JSON. Create one and share it: it caches the token. */
export interface PlatformClient extends ServiceClients {
  readonly identityGateway: IdentityGatewayClient & DeviceLogin<BrokerToken>;
  /** Returns a client with some options changed. It shares the retry budget and, with the same `token`, the cached token. */
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
 * @throws TypeError that names the option that is not acceptable, and says what is right.
 */
export function createPlatformClient(options: PlatformClientOptions = {}): PlatformClient {
  return derivedClient(options);
}

const optionNames = ["baseUrl", "fetch"];

function derivedClient(options: PlatformClientOptions, base?: ClientContext): PlatformClient {
  const baseUrl = readBaseUrl(options);
  const context = createContext(options, { host: hostOf(baseUrl), names: optionNames, base });
  const call = createJsonCaller({ baseUrl, fetch: options.fetch }, createCaller(context));
  const services = createServiceClients(call);
  return {
    ...services,
    identityGateway: withDeviceLogin(services.identityGateway, context.clock),
    withOptions: (changes) => derivedClient({ ...options, ...changes }, context),
  };
}
