import { createServer, type IncomingMessage } from "node:http";
import { attempt } from "../wire/read-json.js";

/** Receives the response of an authorization server, which the browser of the person brings (RFC 8252 section 7.3). */
export interface RedirectListener {
  readonly redirectUri: string;
  /** Resolves with the parameters of the one response with this state. Rejects with the reason of the signal. */
  response(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

const path = "/callback";

const headers = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  Connection: "close",
};

// The same for every response: whether the person is signed in is known only later, and the parameters are untrusted.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>You can close this page</title>
</head>
<body>
<h1>You can close this page</h1>
<p>Return to the program that opened it. It says whether you are signed in.</p>
</body>
</html>
`;

/** Listens on a free port of this machine only. Every request except the expected one is answered with 404. */
export async function listenForRedirect(): Promise<RedirectListener> {
  let expected: { readonly state: string; readonly accept: (response: URLSearchParams) => void } | undefined;
  const server = createServer((request, response) => {
    const parameters = parametersOf(request);
    const states = parameters?.getAll("state") ?? [];
    if (parameters === undefined || expected === undefined || states.length !== 1 || states[0] !== expected.state) {
      response.writeHead(404, { Connection: "close" }).end();
      return;
    }
    const { accept } = expected;
    expected = undefined;
    // Not before it is sent: closing the listener ends connections.
    response.once("close", () => accept(parameters));
    response.writeHead(200, headers).end(page);
  });
  await new Promise<void>((resolve, reject) => {
    // Also later, when a connection cannot be accepted: without a listener, the error would end the process.
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("The listener has no port.");
  return {
    redirectUri: `http://127.0.0.1:${address.port}${path}`,
    response: (state, signal) =>
      new Promise((accept, reject) => {
        expected = { state, accept };
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    close() {
      server.close();
      // Browsers open connections in advance.
      server.closeAllConnections();
    },
  };
}

/** Returns the parameters of a response; undefined for any other request. */
function parametersOf({ method, url = "" }: IncomingMessage): URLSearchParams | undefined {
  const { pathname, searchParams } = attempt(() => new URL(url, "http://127.0.0.1")) ?? {};
  return method === "GET" && pathname === path ? searchParams : undefined;
}
