import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "./serve.ts";

/** A server that redirects every call to another origin, and the requests that arrived there. */
export interface RedirectingServer {
  readonly url: string;
  /** The requests that the other origin received. */
  readonly arrived: readonly string[];
  close(): Promise<void>;
}

/** Starts both servers. Their CORS headers allow everything, so that only the client can prevent the token from being forwarded. */
export async function startRedirectingServer(): Promise<RedirectingServer> {
  const arrived: string[] = [];
  const elsewhere = await serve((request, response) => {
    arrived.push(`${request.method} ${request.headers.authorization}`);
    answer(request, response, 200, {});
  });
  const redirecting = await serve((request, response) => {
    const preflight = request.method === "OPTIONS";
    answer(request, response, preflight ? 204 : 307, { Location: `${elsewhere.origin}${request.url}` });
  });
  return {
    url: redirecting.origin,
    arrived,
    async close() {
      await Promise.all([redirecting.close(), elsewhere.close()]);
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, headers: Record<string, string>) {
  const asked = request.headers["access-control-request-headers"];
  const allowed = asked === undefined ? {} : { "Access-Control-Allow-Headers": asked };
  const origin = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*" };
  request.resume();
  response.writeHead(status, { ...headers, ...origin, ...allowed }).end();
}
