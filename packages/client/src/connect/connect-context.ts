import type { Transport } from "@connectrpc/connect";
import { type ClientContext, createContext } from "../options/client-context.js";
import type { CommonOptions } from "../options/client-options.js";
import { environment } from "../options/environment.js";
import { commonRules, httpRules, ofType } from "../options/option-rules.js";
import { type ConnectHttpOptions, createHttpTransport } from "./http-transport.js";
import type { UnaryTransport } from "./unary-attempt.js";

/** The options of the entry. Its public type allows either a transport or HTTP. */
export interface ConnectOptions extends CommonOptions, ConnectHttpOptions {
  readonly transport?: Transport | undefined;
}

const httpOptionRules = { interceptors: ofType("object"), transport: ofType("object"), ...httpRules };
const transportOptionRules = { transport: ofType("object"), ...commonRules };

/** Checks the options of the entry, and creates what calls share and the transport that sends them. */
export function connectClient(
  options: ConnectOptions,
  base?: ClientContext,
): { readonly context: ClientContext; readonly transport: UnaryTransport } {
  const { transport, baseUrl = environment("PLATFORM_URL"), fetch, interceptors } = options;
  if (transport) {
    const context = createContext(options, transportOptionRules, base);
    return { context: { ...context, host: "the transport" }, transport };
  }
  const context = createContext({ ...options, baseUrl }, httpOptionRules, base);
  return { context, transport: createHttpTransport({ baseUrl: context.baseUrl, fetch }, interceptors) };
}
