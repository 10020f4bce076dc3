import { type BrokerAuthOptions, claimsOf, createAuthenticate } from "../middleware/authenticate.js";
import type { BrokerTokenClaims } from "../token.js";

export type { BrokerAuthOptions } from "../middleware/authenticate.js";

/** What the middleware uses of Hono's `Context`. */
export interface HonoContext {
  readonly req: {
    readonly method: string;
    readonly url: string;
    /** Returns a request header. */
    header(name: string): string | undefined;
  };
}

/** A middleware of Hono 4. */
export type HonoMiddleware = (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;

/**
 * Creates a middleware for Hono that lets a request pass if its broker token is accepted. Otherwise it responds with 401,
 * 403, 429 or 503, `WWW-Authenticate`, and the reason as JSON.
 *
 * @example
 * ```ts
 * import { createBrokerTokenVerifier } from "@platform-rpc/broker";
 * import { brokerTokenOf, createBrokerAuth } from "@platform-rpc/broker/hono";
 * import { Hono } from "hono";
 *
 * const verifier = createBrokerTokenVerifier({
 *   keys: (keyId) => keyRing.publicKey(keyId), // usually new URL("https://id.example/.well-known/jwks.json")
 *   issuer: "https://id.example",
 *   audience: "https://broker.example",
 *   clock,
 * });
 * const app = new Hono();
 * app.post("/run", createBrokerAuth({ verifier, publicUrl: "https://broker.example" }), (context) =>
 *   context.json({ principalId: brokerTokenOf(context).principalId }),
 * );
 *
 * const headers = { Authorization: `Bearer ${brokerToken}` };
 * console.log(await (await app.request("/run", { method: "POST", headers })).json());
 * // { principalId: 'ada' }
 * console.log((await app.request("/run", { method: "POST" })).headers.get("WWW-Authenticate"));
 * // Bearer, DPoP algs="ES256 Ed25519"
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createBrokerAuth(options: BrokerAuthOptions): HonoMiddleware {
  const authenticate = createAuthenticate(options);
  return async (context, next) => {
    const { method, url: target } = context.req;
    const [authorization, dpop] = [context.req.header("Authorization"), context.req.header("DPoP")];
    const rejection = await authenticate(context, { method, target, authorization, dpop });
    if (rejection !== undefined) return new Response(rejection.body, rejection);
    await next();
    return undefined;
  };
}

/**
 * Returns the claims of a request that `createBrokerAuth` let pass.
 *
 * @throws Error when the request did not go through `createBrokerAuth`.
 */
export function brokerTokenOf(context: HonoContext): BrokerTokenClaims {
  return claimsOf(context);
}
