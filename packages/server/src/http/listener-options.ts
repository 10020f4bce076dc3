import type { AddressInfo } from "node:net";
import type { Visibility } from "@platform-rpc/types";
import type { Admit } from "../rpc/admission.js";
import type { Routes } from "../rpc/routes.js";
import type { Documents } from "./documents.js";
import type { Limits } from "./limits.js";
import type { Logger } from "./request-log.js";

/** Routes and the gate in front of them: a `Platform` is one. */
export interface GatedRoutes {
  readonly routes: Routes;
  /** Authenticates and authorizes a call. */
  readonly admit: Admit;
}

/** For whom a listener serves, and within which limits. */
export interface ListenerOptions {
  readonly logger: Logger;
  /** Which operations may be served: creating a listener with any other fails. Default: public ones. */
  readonly visibility?: Visibility;
  readonly limits?: Partial<Limits>;
  /** What is read by GET beside the operations. */
  readonly documents?: Documents;
  /** Prefixes every path, as `/api`. Default: none. */
  readonly basePath?: string;
  /**
   * The names and addresses that a request may name in its Host header, without a port, an IPv6 address in brackets. Others
   * are refused as OPERATION_UNKNOWN: set it where a listener relies on who can reach it, against DNS rebinding. Default: any.
   */
  readonly hosts?: readonly string[];
  /** Origins whose pages may call, as `https://app.example`. Default: none. */
  readonly corsOrigins?: readonly string[];
}

/** A listener for the operations of one visibility. */
export interface Listener {
  /** Starts to listen; port 0 takes a free one. Rejects when the address cannot be had. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** True from the moment at which `close` was called: readiness fails, new calls are refused as UNAVAILABLE. */
  readonly draining: boolean;
  /** Lets running calls finish, for `graceMs` at most (default 10 s), then lets go of every connection. */
  close(graceMs?: number): Promise<void>;
}
