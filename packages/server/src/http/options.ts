import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Visibility } from "@platform-rpc/types";
import type { Contract } from "../contract/contract.js";
import type { Admit } from "../rpc/admission.js";
import type { Routes } from "../rpc/routes.js";
import type { Documents } from "./documents.js";
import type { Limits } from "./limits.js";
import type { Logger, RequestEnd } from "./request-log.js";

/** Routes and the gate in front of them: a `Platform` is one. */
export interface GatedRoutes {
  readonly routes: Routes;
  /** Authenticates and authorizes a call. */
  readonly admit: Admit;
  /** Defines the errors of each version. Default: the public contract. */
  readonly contract?: Contract;
}

/** For whom calls are served, and within which limits. */
export interface HandlerOptions {
  readonly logger: Logger;
  /** Called when a request has ended, with the fields of its line in the log: for metrics. A hook that throws is ignored. */
  readonly onRequestEnd?: (end: RequestEnd) => void;
  /** Which operations may be served: creating a listener or handler with any other fails. Default: public ones. */
  readonly visibility?: Visibility;
  readonly limits?: Partial<Limits>;
  /** What is read by GET beside the operations. */
  readonly documents?: Documents;
  /** Prefixes every path, as `/api`. Default: none. */
  readonly basePath?: string;
  /**
   * The names and addresses that a request may name in its Host header, without a port, an IPv6 address in brackets. Others
   * are rejected as OPERATION_UNKNOWN: set it where a listener relies on who can reach it, against DNS rebinding. Default: any.
   */
  readonly hosts?: readonly string[];
  /** Origins whose pages may call, as `https://app.example`. Default: none. */
  readonly corsOrigins?: readonly string[];
}

export interface ListenerOptions extends HandlerOptions {
  /** Serves HTTPS: the private key and the certificate chain, in PEM. Default: plain HTTP. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
}

/** A listener for the operations of one visibility. */
export interface Listener {
  /**
   * Serves one request of a server that you run: a listener of node:http or node:https, or a handler of Express. Mount it
   * before anything that reads bodies. Calls are served as over `listen`; connections are your server's: their bounds and
   * timeouts, `Expect`, and the answers to requests that Node cannot parse.
   */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Starts to listen; port 0 takes a free one. Rejects when the address cannot be had. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** True from the moment at which `close` was called: readiness fails, new calls are rejected as UNAVAILABLE. */
  readonly draining: boolean;
  /** Lets running calls finish, for `graceMs` at most (default 10 s), then closes every connection. */
  close(graceMs?: number): Promise<void>;
}
