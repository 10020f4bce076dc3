import type { IncomingMessage, ServerResponse } from "node:http";
import { type BrokerAuthOptions, claimsOf, createAuthenticate } from "../middleware/authenticate.js";
import type { BrokerTokenClaims } from "../token.js";

export type { BrokerAuthOptions } from "../middleware/authenticate.js";

/** What the middleware uses of Express's `Request`. */
export interface ExpressRequest extends IncomingMessage {
  originalUrl: string;
}

/** A middleware of Express 4 or 5. */
export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Creates a middleware for Express that lets a request pass if its broker token is accepted. Otherwise it responds with 401,
 * 403, 429 or 503, `WWW-Authenticate`, and the reason as JSON.
 *
 * @example
 * ```ts
 * import { createBrokerTokenVerifier } from "@platform-rpc/broker";
 * import { brokerTokenOf, createBrokerAuth } from "@platform-rpc/broker/express";
 * import express from "express";
 *
 * const verifier = createBrokerTokenVerifier({
 *   keys: new URL("https://id.example/.well-known/jwks.json"),
 *   issuer: "https://id.example",
 *   audience: "https://broker.example",
 * });
 * const app = express();
 * app.post("/run", createBrokerAuth({ verifier, publicUrl: "https://broker.example" }), (request, response) => {
 *   response.json({ principalId: brokerTokenOf(request).principalId });
 * });
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createBrokerAuth(options: BrokerAuthOptions): ExpressMiddleware {
  const authenticate = createAuthenticate(options);
  return (request, response, next) => {
    const { method = "", originalUrl: target, headers } = request;
    const { authorization, dpop } = headers;
    authenticate(request, { method, target, authorization, dpop })
      .then((rejection) => {
        if (rejection === undefined) return next();
        response.writeHead(rejection.status, rejection.headers).end(rejection.body);
      })
      // Includes the error of a response that a timeout has already sent.
      .catch(next);
  };
}

/**
 * Returns the claims of a request that `createBrokerAuth` let pass.
 *
 * @throws Error when the request did not go through `createBrokerAuth`.
 */
export function brokerTokenOf(request: ExpressRequest): BrokerTokenClaims {
  return claimsOf(request);
}
