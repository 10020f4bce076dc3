import * as check from "@platform-rpc/options";
import { type BrokerTokenError, isBrokerTokenError } from "../broker-token-error.js";
import { notify } from "../notify.js";
import type { BrokerTokenClaims } from "../token.js";
import type { BrokerRequest, BrokerTokenVerifier } from "../verifier.js";

/** Options of `createBrokerAuth`. */
export interface BrokerAuthOptions {
  /** Created by `createBrokerTokenVerifier`. Share one between all routes. */
  readonly verifier: BrokerTokenVerifier;
  /**
   * The URL under which callers reach this app, such as `https://broker.example`, with the path prefix that a proxy removes,
   * if any. DPoP proofs must be made for it. It is not taken from the request: the sender chooses the Host header.
   */
  readonly publicUrl: string | URL;
  /** The scopes that a token must have. Default: none. */
  readonly requiredScopes?: readonly string[];
  /** Called with each rejection, for your log. A hook that throws is ignored. */
  readonly onRejected?: (error: BrokerTokenError) => void;
}

/** A request as a framework received it. `target` is its path, or its absolute URL. */
export interface ReceivedRequest extends Pick<BrokerRequest, "method" | "authorization" | "dpop"> {
  readonly target: string;
}

export interface RejectionResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Verifies a request, and stores its claims under `context`, the framework's object for the request. */
export type Authenticate = (context: object, received: ReceivedRequest) => Promise<RejectionResponse | undefined>;

const verified = new WeakMap<object, BrokerTokenClaims>();

const rules: check.OptionRules<BrokerAuthOptions> = {
  verifier: check.part("be what createBrokerTokenVerifier returns", "verify"),
  publicUrl: check.must(
    "be the http or https URL under which callers reach this app, such as https://broker.example.com, without user, query and fragment",
    isPublicUrl,
  ),
  requiredScopes: check.may("be a list of scopes", (value) => check.isListOf(value, check.isText)),
  onRejected: check.ofType("function"),
};

export function createAuthenticate(options: BrokerAuthOptions): Authenticate {
  check.requireOptions("createBrokerAuth", options, rules);
  const { verifier, requiredScopes = [], onRejected } = options;
  const publicUrlOf = createPublicUrl(options.publicUrl);
  return async (context, { target, ...request }) => {
    try {
      verified.set(context, await verifier.verify({ ...request, url: publicUrlOf(target), requiredScopes }));
      return undefined;
    } catch (error) {
      if (!isBrokerTokenError(error)) throw error;
      if (onRejected !== undefined) notify(onRejected, error);
      const { status, reason, message, headers } = error;
      return {
        status,
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ reason, message }),
      };
    }
  };
}

export function claimsOf(context: object): BrokerTokenClaims {
  const claims = verified.get(context);
  if (claims === undefined)
    throw new Error("brokerTokenOf: this request was not verified. Put createBrokerAuth in front of its handler.");
  return claims;
}

/** Returns the absolute URL that a caller requested, from the target of the request line. */
type PublicUrlOf = (target: string) => string;

/**
 * Creates a function that appends the path of a request to the public URL. It ignores the Host header, `X-Forwarded-*` and the
 * host of an absolute target on purpose: the sender chooses them, and could replay a proof that was made for another server.
 */
export function createPublicUrl(publicUrl: string | URL): PublicUrlOf {
  const { origin, pathname } = new URL(publicUrl);
  const base = `${origin}${pathname.replace(/\/+$/, "")}`;
  return (target) => `${base}${pathOf(target)}`;
}

function isPublicUrl(value: unknown): boolean {
  const url = (value instanceof URL || check.isText(value)) && URL.canParse(`${value}`) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return `${url.username}${url.password}${url.search}${url.hash}` === "";
}

/** A target is a path or, in a request to a proxy, an absolute URL (RFC 9112 section 3.2). */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  if (!URL.canParse(target)) return "/";
  const { pathname, search } = new URL(target);
  return pathname.startsWith("/") ? `${pathname}${search}` : "/";
}
