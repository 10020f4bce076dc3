import type { Transport } from "@connectrpc/connect";
import { createCaller } from "../caller.js";
import type { CommonOptions } from "../client-options.js";
import { systemClock } from "../clock.js";
import { createConnectCaller } from "./connect-caller.js";
import { createHttpTransport, type HttpOptions } from "./http-transport.js";
import { createIdentityGatewayClient, type IdentityGatewayClient } from "./identity-gateway-client.js";
import { createVaultClient, type VaultClient } from "./vault-client.js";

/** How a client speaks when it is given a transport. */
export interface TransportOptions {
  /**
   * A transport of Connect's, used in place of HTTP: for tests, or for a protocol of your own. The reasons of errors are
   * read from the `debug` of their details, as the contract has it and the Connect protocol carries it.
   */
  readonly transport: Transport;
}

/** What a client needs to know: where the platform is, and in whose name to call. */
export type PlatformClientOptions = CommonOptions &
  (
    | (HttpOptions & { readonly transport?: never })
    | (TransportOptions & { readonly [Option in keyof HttpOptions]?: never })
  );

/** Calls the platform. Make one and share it: it keeps the token. */
export interface PlatformClient {
  readonly vault: VaultClient;
  readonly identityGateway: IdentityGatewayClient;
}

/**
 * Makes a client. It connects when it is called, not before.
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
 * @throws TypeError when `baseUrl` is not acceptable, RangeError when a fixed token is not. No message repeats them.
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const call = createConnectCaller(options.transport ?? createHttpTransport(options), createCaller(options));
  const { clock = systemClock } = options;
  return { vault: createVaultClient(call), identityGateway: createIdentityGatewayClient(call, clock) };
}
