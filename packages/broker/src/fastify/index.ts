import type { IncomingHttpHeaders } from "node:http";
import { type BrokerAuthOptions, claimsOf, createAuthenticate } from "../middleware/authenticate.js";
import type { BrokerTokenClaims } from "../token.js";

export type { BrokerAuthOptions } from "../middleware/authenticate.js";

/** What the hook uses of Fastify's `FastifyRequest`. */
export interface FastifyRequestLike {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
}

/** What the hook uses of Fastify's `FastifyReply`. */
export interface FastifyReplyLike {
  /** Sets the HTTP status. */
  code(status: number): unknown;
  /** Sets response headers. */
  headers(headers: Readonly<Record<string, string>>): unknown;
  /** Sends the response. */
  send(payload: unknown): unknown;
}

/** A hook of Fastify 5, for `onRequest` or `preHandler`. */
export type FastifyHook = (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>;

/**
 * Creates an `onRequest` hook for Fastify that lets a request pass if its broker token is accepted. Otherwise it responds with
 * 401, 403, 429 or 503, `WWW-Authenticate`, and the reason as JSON.
 *
 * @example
 * ```ts
 * import { createBrokerTokenVerifier } from "@platform-rpc/broker";
 * import { brokerTokenOf, createBrokerAuth } from "@platform-rpc/broker/fastify";
 * import { fastify } from "fastify";
 *
 * const verifier = createBrokerTokenVerifier({
 *   keys: new URL("https://id.example/.well-known/jwks.json"),
 *   issuer: "https://id.example",
 *   audience: "https://broker.example",
 * });
 * const app = fastify();
 * const onRequest = createBrokerAuth({ verifier, publicUrl: "https://broker.example" });
 * app.post("/run", { onRequest }, async (request) => ({ principalId: brokerTokenOf(request).principalId }));
 *
 * console.log((await app.inject({ method: "POST", url: "/run" })).headers["www-authenticate"]);
 * // Bearer, DPoP algs="ES256 Ed25519"
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createBrokerAuth(options: BrokerAuthOptions): FastifyHook {
  const authenticate = createAuthenticate(options);
  return async (request, reply) => {
    const { method, originalUrl: target, headers } = request;
    const { authorization, dpop } = headers;
    const rejection = await authenticate(request, { method, target, authorization, dpop });
    if (rejection === undefined) return undefined;
    reply.code(rejection.status);
    reply.headers(rejection.headers);
    return reply.send(rejection.body);
  };
}

/**
 * Returns the claims of a request that `createBrokerAuth` let pass.
 *
 * @throws Error when the request did not go through `createBrokerAuth`.
 */
export function brokerTokenOf(request: FastifyRequestLike): BrokerTokenClaims {
  return claimsOf(request);
}
