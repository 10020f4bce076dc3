import type { Transport } from "@connectrpc/connect";
import { createTokenSource, type TokenProvider } from "./access-token.js";
import { createHttpTransport, type HttpOptions } from "./http-transport.js";
import { createIdentityGatewayClient, type IdentityGatewayClient } from "./identity-gateway-client.js";
import { isTimeout } from "./open-call.js";
import { createUnaryCaller } from "./unary-caller.js";
import { createVaultClient, type VaultClient } from "./vault-client.js";

/** The time that the server itself gives a call which names none. */
const defaultTimeoutMs = 15_000;

interface CommonOptions {
  /**
   * The access token of the caller, or where to get one. A provider is called when a token is needed: at the first
   * call, shortly before the last one expires, and when the server rejects it.
   */
  readonly token: string | TokenProvider;
  /** Milliseconds that a call may take unless it says otherwise. Default: 15 000. */
  readonly timeoutMs?: number;
}

interface TransportOptions {
  /** A transport of Connect's, used in place of HTTP: for tests, or for a protocol of your own. */
  readonly transport: Transport;
}

type None<T> = { readonly [Key in keyof T]?: never };

/** What a client needs to know: where the platform is, and in whose name to call. */
export type PlatformClientOptions = CommonOptions &
  ((HttpOptions & None<TransportOptions>) | (TransportOptions & None<HttpOptions>));

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
 * const client = createPlatformClient({ baseUrl: "https://api.example.com", token });
 * const { item, cursor } = await client.vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
 * ```
 *
 * @throws TypeError when an option is not acceptable. The message names the option and does not repeat its value.
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { timeoutMs = defaultTimeoutMs } = options;
  if (!isTimeout(timeoutMs)) throw new TypeError("timeoutMs must be a whole number of 1 to 2147483647");
  const call = createUnaryCaller({
    transport: options.transport ?? createHttpTransport(options),
    tokens: createTokenSource(options.token),
    timeoutMs,
  });
  return { vault: createVaultClient(call), identityGateway: createIdentityGatewayClient(call) };
}
