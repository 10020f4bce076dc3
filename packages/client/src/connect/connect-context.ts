import type { Transport } from "@connectrpc/connect";
import { hostOf, readBaseUrl } from "../options/check-options.js";
import { type ClientContext, createContext } from "../options/client-context.js";
import type { CommonOptions } from "../options/client-options.js";
import { type ConnectHttpOptions, createHttpTransport } from "./http-transport.js";

/** The options of the entry. Its public type allows either a transport or HTTP. */
export interface ConnectOptions extends CommonOptions, ConnectHttpOptions {
  readonly transport?: Transport | undefined;
}

const optionNames = ["baseUrl", "fetch", "interceptors", "transport"];

/** Checks the options of the entry, and creates what calls share and the transport that sends them. */
export function connectClient(
  options: ConnectOptions,
  base?: ClientContext,
): { readonly context: ClientContext; readonly transport: Transport } {
  if (options.transport) {
    const context = createContext(options, { host: "the transport", names: optionNames, base });
    return { context, transport: options.transport };
  }
  const baseUrl = readBaseUrl(options);
  const context = createContext(options, { host: hostOf(baseUrl), names: optionNames, base });
  return { context, transport: createHttpTransport({ baseUrl, fetch: options.fetch }, options.interceptors) };
}
