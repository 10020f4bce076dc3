import type { Transport } from "@connectrpc/connect";
import { type ClientContext, createContext } from "../options/client-context.js";
import type { CommonOptions } from "../options/client-options.js";
import { commonRules, httpRules, withFunctions } from "../options/option-rules.js";
import { type ConnectHttpOptions, createHttpTransport } from "./http-transport.js";
import type { UnaryTransport } from "./unary-attempt.js";

/** The options of the entry. Its public type allows either a transport or HTTP. */
export interface ConnectOptions extends CommonOptions, ConnectHttpOptions {
  readonly transport?: Transport | undefined;
}

const interceptors = (value: unknown) =>
  value === undefined ||
  (Array.isArray(value) && value.every((one) => typeof one === "function")) ||
  "must be a list of functions";

const transport = withFunctions("unary");
const httpOptionRules = { interceptors, transport, ...httpRules };
const transportOptionRules = { transport, ...commonRules };

/** Checks the options of the entry, and creates what calls share and the transport that sends them. */
export function connectClient(
  options: ConnectOptions,
  base?: ClientContext,
  given: unknown = options,
): { readonly context: ClientContext; readonly transport: UnaryTransport } {
  const { transport, fetch, interceptors }: ConnectOptions = Object(options);
  if (transport !== undefined) {
    const context = createContext(options, transportOptionRules, base, given);
    return { context: { ...context, host: "the transport" }, transport };
  }
  const context = createContext(options, httpOptionRules, base, given);
  return { context, transport: createHttpTransport({ baseUrl: context.baseUrl, fetch }, interceptors) };
}
