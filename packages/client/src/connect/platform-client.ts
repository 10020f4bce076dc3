import type { Transport } from "@connectrpc/connect";
import { createCaller } from "../call/call.js";
import { type DeviceLogin, withDeviceLogin } from "../device/device-login.js";
import { createServiceClients } from "../gen/connect-services.js";
import type { CompleteBrokerToken, IdentityGatewayClient, ServiceClients } from "../gen/connect-types.js";
import type { ClientContext } from "../options/client-context.js";
import type { CommonOptions } from "../options/client-options.js";
import { createConnectCaller } from "./connect-caller.js";
import { type ConnectOptions, connectClient } from "./connect-context.js";
import type { ConnectHttpOptions } from "./http-transport.js";

/** How a client calls when it is given a transport. */
export interface TransportOptions {
  /**
   * A transport of Connect, used in place of HTTP: for tests, or for a protocol of your own. The reasons of errors are
   * read from the `debug` of their details, as the contract has it and the Connect protocol carries it.
   */
  readonly transport: Transport;
}

/** Where the platform is, on whose behalf to call, and how. */
export type PlatformClientOptions = CommonOptions &
  (
    | (ConnectHttpOptions & { readonly transport?: never })
    | (TransportOptions & { readonly [Option in keyof ConnectHttpOptions]?: never })
  );

/** Calls the platform. Create one and share it: it caches the token. */
export interface PlatformClient extends ServiceClients {
  readonly identityGateway: IdentityGatewayClient & DeviceLogin<CompleteBrokerToken>;
  /**
   * Returns a client with some options changed. It shares the retry budget and, with the same `token`, the cached token. An option
   * that is `undefined` gets its default, not the value of this client.
   */
  withOptions(changes: CommonOptions & ConnectHttpOptions): PlatformClient;
}

/**
 * Creates a client. It connects when it is called, not before.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client";
 *
 * const client = createPlatformClient({ baseUrl, token });
 * const { item, cursor } = await client.vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
 * console.log(item.version, cursor.sequence);
 * // 4 2
 * ```
 *
 * @throws TypeError that names the option that is not acceptable, and says what is right.
 */
export function createPlatformClient(options: PlatformClientOptions = {}): PlatformClient {
  return derivedClient(options);
}

function derivedClient(options: ConnectOptions, base?: ClientContext): PlatformClient {
  const { context, transport } = connectClient(options, base);
  const call = createConnectCaller(transport, createCaller(context));
  const services = createServiceClients(call);
  return {
    ...services,
    identityGateway: withDeviceLogin(services.identityGateway, context.clock),
    withOptions: (changes) => derivedClient({ ...options, ...changes }, context),
  };
}
