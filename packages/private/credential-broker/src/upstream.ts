import { once } from "node:events";
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { TLSSocket } from "node:tls";
import { type HostAddress, isPublicAddress, ResolveError, resolveHost } from "@platform-rpc/front/resolve-host";
import { type Headers, headerBytes } from "./headers.js";
import { Refusal, refusal } from "./refusal.js";
import { isAddress, type Target } from "./target.js";

export interface UpstreamOptions {
  /** Whether plain http to this machine is allowed. Default: no. */
  readonly allowLoopbackHttp?: boolean | undefined;
  /** How long an upstream may take to accept a connection, in milliseconds. Default: 10 s. */
  readonly connectMs?: number | undefined;
  /** How long it may send nothing, in milliseconds. Default: 5 minutes, as long as a language model may think. */
  readonly silenceMs?: number | undefined;
  /** What a test replaces. */
  readonly resolve?: ((host: string, signal: AbortSignal) => Promise<readonly HostAddress[]>) | undefined;
  readonly isAllowed?: ((address: string) => boolean) | undefined;
  readonly ca?: string | undefined;
}

/** An upstream that has proven its name, and to which nothing was sent. */
export interface OpenUpstream {
  /** @throws Refusal if the connection has ended: nothing was sent */
  check(): void;
  /** Sends the request. Resolves with the head of the response. @throws Refusal when it may have been sent */
  send(): Promise<IncomingMessage>;
  /** Ends the request. Does nothing after its end. */
  close(): void;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Upstreams {
  /** Connects, and verifies the certificate. @throws Refusal before anything is sent */
  open(target: Target, sent: Sent): Promise<OpenUpstream>;
  close(): void;
}

/** No call waits for a connection of another: the broker bounds its calls. One approval may have as many at a time as are kept. */
const pool = { keepAlive: true, maxFreeSockets: 64, scheduling: "lifo" } as const;

/** Creates the connections to upstreams: to addresses that were checked, over TLS. They are used again. */
export function createUpstreams(options: UpstreamOptions = {}): Upstreams {
  const { connectMs = 10_000, silenceMs = 300_000, isAllowed = isPublicAddress, resolve = resolveHost } = options;
  /** Finds the address of a new connection. Nothing looks the host up again: the socket connects to what was checked here. */
  const lookup: LookupFunction = (host, { all }, done) => {
    void checkedAddresses(host).then(
      (found) => {
        const [first] = found;
        if (all) done(null, [...found]);
        else done(null, first?.address ?? "", first?.family);
      },
      (error: Error) => done(error, ""),
    );
  };

  async function checkedAddresses(host: string): Promise<readonly HostAddress[]> {
    const found = await resolve(host, AbortSignal.timeout(connectMs));
    if (found.length === 0 || !found.every(({ address }) => isAllowed(address))) throw privateHost(host);
    return found;
  }

  const https = new HttpsAgent({ ...pool, lookup, rejectUnauthorized: true, ...(options.ca && { ca: options.ca }) });
  const http = new HttpAgent(pool);

  function create(target: Target, { method, path, headers, body }: Sent): ClientRequest {
    const { host, hostname, port, isLoopback } = target;
    const common = { method, path, setHost: false, maxHeaderSize: headerBytes, ...(port !== undefined && { port }) };
    // Without it, the body of a GET would be read as the next request.
    const length = { ...((body.length > 0 || /^P/.test(method)) && { "content-length": String(body.length) }) };
    const sent = { ...copied(headers), ...length, host, "accept-encoding": "identity" };
    if (isLoopback && options.allowLoopbackHttp) {
      // Its name is not looked up, whatever a name server says.
      const here = hostname === "localhost" ? "127.0.0.1" : hostname;
      return requestHttp({ ...common, host: here, agent: http, headers: sent });
    }
    // Node connects to an address without a lookup.
    if (isAddress(target) && !isAllowed(hostname)) throw privateHost(hostname);
    return requestHttps({ ...common, host: hostname, agent: https, headers: sent });
  }

  return {
    async open(target, sent) {
      const request = create(target, sent);
      // An error at a time when nobody waits for one: the next wait finds it.
      let failure: Error | undefined;
      const failed = new Promise<never>((_, reject) => {
        request.on("error", (error) => {
          failure ??= error;
          reject(error);
        });
      });
      failed.catch(() => undefined);
      const deadline = setTimeout(() => request.destroy(new Refusal(silent(target, connectMs))), connectMs);
      try {
        await Promise.race([isConnected(request), failed]);
      } catch (error) {
        request.destroy();
        throw connectionRefusal(target, error);
      } finally {
        clearTimeout(deadline);
      }
      return {
        check() {
          if (failure !== undefined || request.destroyed) throw connectionRefusal(target, failure);
        },
        async send() {
          const head = new Promise<IncomingMessage>((resolve, reject) => {
            // The parser of Node accepts 099, which no server can answer.
            request.once("response", (answered) => {
              if ((answered.statusCode ?? 0) < 200) request.destroy();
              else resolve(answered);
            });
            request.once("close", () => reject(failure));
            // The broker cannot mask an upgraded connection.
            request.once("upgrade", (_, socket) => socket.destroy());
          });
          request.setTimeout(silenceMs, () => request.destroy(new Refusal(silent(target, silenceMs))));
          request.end(sent.body);
          return await Promise.race([head, failed]).catch((error: unknown) => {
            if (error instanceof Refusal) throw error;
            throw refusal("UPSTREAM_FAILED", `${target.host} sent no valid answer. ${mayHaveBeenSent}`);
          });
        },
        close: () => void request.destroy(),
      };
    },
    close() {
      https.destroy();
      http.destroy();
    },
  };
}

const mayHaveBeenSent = "The request may have been carried out: check that before you repeat it.";

async function isConnected(request: ClientRequest): Promise<void> {
  const [socket] = request.socket ? [request.socket] : await once(request, "socket");
  const isTls = socket instanceof TLSSocket;
  if (request.reusedSocket || (!socket.connecting && (!isTls || socket.authorized))) return;
  await once(socket, isTls ? "secureConnect" : "connect");
}

function copied(headers: Headers): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]]));
}

function privateHost(host: string): Refusal {
  return refusal(
    "HOST_NOT_ALLOWED",
    `${host} is in a private network, or does not exist. The broker connects only to public addresses, over https; with --allow-loopback-http also to this machine.`,
  );
}

function silent({ host }: Target, ms: number) {
  const message = `${host} did not answer within ${ms / 1000} s. ${mayHaveBeenSent}`;
  return { ...refusal("UPSTREAM_TIMEOUT", message).init };
}

function connectionRefusal({ host, hostname }: Target, error: unknown): Refusal {
  if (error instanceof Refusal) {
    if (error.init.reason !== "UPSTREAM_TIMEOUT") return error;
    return refusal("UPSTREAM_TIMEOUT", `${host} did not accept a connection in time. Nothing was sent. Try again.`);
  }
  if (error instanceof ResolveError) {
    if (error.problem === "HOST_NOT_FOUND") return privateHost(hostname);
    const message = `No name server has said the address of ${hostname} (${error.failure}). Nothing was sent. Try again.`;
    return refusal("UPSTREAM_UNREACHABLE", message);
  }
  const { code = "no connection" }: { readonly code?: unknown } = Object(error);
  return refusal(
    "UPSTREAM_UNREACHABLE",
    `${host} cannot be reached over TLS (${code}). Nothing was sent. Check the host and its certificate.`,
  );
}
