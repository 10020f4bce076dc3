import type { Transport } from "@connectrpc/connect";
import { type OptionRules, withFunctions } from "@platform-rpc/options";
import { type ClientContext, createContext } from "../call/client-context.js";
import { createCaller } from "../call/create-caller.js";
import { createServiceClients } from "../gen/connect-services.js";
import type { ServiceClients } from "../gen/connect-types.js";
import type { CommonOptions } from "../options/client-options.js";
import type { Clock } from "../options/clock.js";
import { commonRules, httpRules } from "../options/option-rules.js";
import { createConnectCaller } from "./connect-caller.js";
import { type ConnectHttpOptions, createHttpTransport } from "./http-transport.js";
import type { UnaryTransport } from "./unary-attempt.js";

/** Options of a client that uses your transport. */
export interface TransportOptions {
  /**
   * A transport of Connect, used instead of HTTP: for tests, or for your own protocol. The client reads the reason of an error
   * from the `debug` or the `value` of its details, as in the Connect protocol.
   */
  readonly transport: Transport;
}

/** The URL or transport of the platform, the caller's token, and how to call. */
export type PlatformClientOptions = CommonOptions &
  (
    | (ConnectHttpOptions & { readonly transport?: never })
    | (TransportOptions & { readonly [Option in keyof ConnectHttpOptions]?: never })
  );

/** Calls the platform. Create one and share it: it caches the token. */
export interface PlatformClient extends ServiceClients {
  /** The clock that the client waits with. */
  readonly clock: Clock;
  /**
   * Returns a client with some options changed. It shares the retry budget of this client and, if `token` is the same, its cached
   * token. An option that you set to `undefined` gets its default, not the value of this client.
   */
  withOptions(changes: CommonOptions & ConnectHttpOptions): PlatformClient;
}

/**
 * Creates a client. It does not connect before the first call.
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
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createPlatformClient(options: PlatformClientOptions = {}): PlatformClient {
  return derivedClient(options);
}

function derivedClient(given: ConnectOptions, base?: ClientContext, before?: ConnectOptions): PlatformClient {
  const options = { ...before, ...given };
  const called = base ? "withOptions" : "createPlatformClient";
  const { context, transport } = connectClient(called, options, base, given);
  return {
    ...createServiceClients(createConnectCaller(transport, createCaller(context))),
    clock: context.clock,
    withOptions: (changes) => derivedClient(changes, context, options),
  };
}

/** The options of the entry. Its public type allows either a transport or HTTP. */
export interface ConnectOptions extends CommonOptions, ConnectHttpOptions {
  readonly transport?: Transport | undefined;
}

const interceptors = (value: unknown) =>
  value === undefined ||
  (Array.isArray(value) && value.every((one) => typeof one === "function")) ||
  "must be a list of functions";

const transport = withFunctions("unary");
const httpOptionRules: OptionRules<ConnectOptions> = { interceptors, transport, ...httpRules };
const transportOptionRules = { transport, ...commonRules };

/** Checks the options of the entry, and creates what calls share and the transport that sends them. */
export function connectClient(
  called: string,
  options: ConnectOptions,
  base?: ClientContext,
  given: object = options,
): { readonly context: ClientContext; readonly transport: UnaryTransport } {
  const { transport, fetch, interceptors }: ConnectOptions = Object(options);
  if (transport !== undefined) {
    const context = createContext(called, options, transportOptionRules, base, given);
    return { context: { ...context, host: "the transport" }, transport };
  }
  const context = createContext(called, options, httpOptionRules, base, given);
  return { context, transport: createHttpTransport({ baseUrl: context.baseUrl, fetch }, interceptors) };
}
