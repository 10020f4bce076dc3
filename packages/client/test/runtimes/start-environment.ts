import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import type { Environment } from "./environment.js";
import { brokerAudience, issuer } from "./test-platform.js";

/** A platform, and what prepares data in it. */
export interface StartedPlatform {
  readonly baseUrl: string;
  ask(path: string, query: Readonly<Record<string, string>>): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** The servers that a suite calls, on this machine. */
export interface StartedEnvironment extends Omit<Environment, "runtime"> {
  /** The origin of pages that may not call the platform. Those of `testUrl` may. */
  readonly foreignOrigin: string;
  stop(): Promise<void>;
}

/** Starts the servers. The platform is told the origin whose pages may call it. */
export async function startEnvironment(
  startPlatform: (pageOrigin: string) => Promise<StartedPlatform>,
): Promise<StartedEnvironment> {
  // The CORS headers of these servers allow everything, so that only the client can prevent a token from being forwarded.
  const arrivedElsewhere: string[] = [];
  const elsewhere = await serve((request, response) => {
    arrivedElsewhere.push(`${request.method} ${request.headers.authorization}`);
    answer(request, response, 200);
  });
  const redirecting = await serve((request, response) => {
    const status = request.method === "OPTIONS" ? 204 : 307;
    answer(request, response, status, { Location: `${elsewhere.origin}${request.url}` });
  });

  const answerTest = async (path: string, query: Readonly<Record<string, string>>): Promise<unknown> => {
    if (path === "/arrived-elsewhere") return arrivedElsewhere;
    if (path !== "/verify") return platform.ask(path, query);
    const { method = "", url = "", authorization, dpop } = query;
    const { popKeyId } = await broker.verify({ method, url, authorization, dpop });
    return { popKeyId };
  };
  const serveTests = async (request: IncomingMessage, response: ServerResponse) => {
    const page = '<!doctype html><link rel="icon" href="data:,">';
    if (request.method !== "POST") return answer(request, response, 200, { "Content-Type": "text/html" }, page);
    try {
      const found = await answerTest(request.url ?? "", JSON.parse(await text(request)));
      answer(request, response, 200, { "Content-Type": "application/json" }, JSON.stringify(found));
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? `, because of ${error.cause}` : "";
      answer(request, response, 500, {}, `${error}${cause}`);
    }
  };
  const tests = await serve(serveTests);
  const foreignPages = await serve(serveTests);
  const platform = await startPlatform(tests.origin);
  const broker = createBrokerTokenVerifier({
    keys: new URL(`${platform.baseUrl}/.well-known/jwks.json`),
    issuer,
    audience: brokerAudience,
  });

  return {
    baseUrl: platform.baseUrl,
    testUrl: tests.origin,
    redirectingUrl: redirecting.origin,
    foreignOrigin: foreignPages.origin,
    async stop() {
      await Promise.all([elsewhere, redirecting, tests, foreignPages, platform].map((server) => server.stop()));
    },
  };
}

/** Serves on a free port of this machine. */
async function serve(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("The server does not listen on TCP.");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function answer(
  { headers }: IncomingMessage,
  response: ServerResponse,
  status: number,
  added: Readonly<Record<string, string>> = {},
  body = "",
): void {
  const { "access-control-request-headers": asked = "" } = headers;
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Allow-Headers", asked);
  response.setHeader("Access-Control-Expose-Headers", "*");
  response.writeHead(status, added).end(body);
}
