import { type BrokerSession, ProgramError } from "@platform-rpc/signed-in";
import { allowInsecureRequests, DPoP, protectedResourceRequest, WWWAuthenticateChallengeError } from "oauth4webapi";
import * as z from "zod";

/** A request to a website, without the secret that the broker adds. */
export interface UseRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** Why the broker has no answer of the website: it has not sent the request, or the website has not answered. */
export interface BrokerRefusal {
  readonly reason: string;
  readonly message: string;
  readonly requestId: string;
  /** Where the person can change it. */
  readonly page?: string | undefined;
}

export interface UseAnswer extends Pick<Response, "status" | "headers"> {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly truncated: boolean;
  /** Why the broker has no answer of the website. */
  readonly refusal: BrokerRefusal | undefined;
}

/** Sends requests through the broker. */
export interface Broker {
  /** @throws ProgramError if the broker does not run. PlatformError if the login has ended */
  send(request: UseRequest, signal: AbortSignal): Promise<UseAnswer>;
}

export interface BrokerOptions {
  /** Where the broker listens, such as `http://127.0.0.1:8090`. */
  readonly url: string;
  /** Opens the login of this program for the broker. */
  readonly openSession: () => Promise<BrokerSession>;
}

const notRunning =
  "The broker does not run on this computer. Nothing was sent. The person starts it with: platform broker";
const brokeOff =
  "The connection to the broker broke off. The request may have been sent: check that before you repeat it.";

/** The longest body that an assistant gets, in bytes. */
const longestBody = 256 * 1024;

export function createBroker({ url: brokerUrl, openSession }: BrokerOptions): Broker {
  let opened: Promise<BrokerSession> | undefined;
  const open = () => {
    // A failed attempt is not kept.
    opened ??= openSession().catch((thrown: unknown) => {
      opened = undefined;
      throw thrown;
    });
    return opened;
  };

  async function attempt(
    { url, method, headers, body }: UseRequest,
    signal: AbortSignal,
    reason: "first" | "rejected",
  ): Promise<UseAnswer> {
    const session = await open();
    const { accessToken } = await session.token({ signal, reason });
    const keyPair = await session.keyPair();
    if (keyPair === undefined) throw new ProgramError("The login has ended. Call the tool again.", "not signed in");
    // The broker leads to its own URLs in the headers Location and Link of a website.
    const isOwn = url.href.startsWith(`${brokerUrl}/`);
    const target = isOwn ? url : new URL(`${brokerUrl}/${url.host}${url.pathname}${url.search}`);
    const options = { DPoP: DPoP({}, keyPair), [allowInsecureRequests]: true, signal };
    try {
      return await readAnswer(
        await protectedResourceRequest(accessToken.reveal(), method, target, headers, body, options).catch(challengeOf),
      );
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof TypeError)) throw thrown;
      const { code }: { readonly code?: unknown } = Object(thrown.cause);
      throw new ProgramError(code === "ECONNREFUSED" ? notRunning : brokeOff, "unreachable");
    }
  }

  return {
    async send(request, signal) {
      const answer = await attempt(request, signal, "first");
      return mayBeStale(answer) ? attempt(request, signal, "rejected") : answer;
    },
  };
}

/** Returns the response that is thrown because it has a header `WWW-Authenticate`, also if that is of the website. */
function challengeOf(thrown: unknown): Response {
  if (thrown instanceof WWWAuthenticateChallengeError) return thrown.response;
  throw thrown;
}

async function readAnswer(response: Response): Promise<UseAnswer> {
  const { status, headers } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // The end of the loop cancels the rest.
    if (size > longestBody) break;
  }
  const body = new Uint8Array(Buffer.concat(chunks).subarray(0, longestBody));
  return { status, headers, body, truncated: size > longestBody, refusal: refusalIn(response, body) };
}

const errorBody = z.object({
  message: z.string(),
  details: z.tuple([z.object({ debug: z.object({ metadata: z.object({ page: z.string().optional() }) }) })]),
});

/** Returns the refusal in a response of the broker: no website can send its header. To HEAD, it has no body. */
function refusalIn({ headers }: Response, body: Uint8Array): BrokerRefusal | undefined {
  const reason = headers.get("platform-reason");
  if (reason === null) return undefined;
  const text = new TextDecoder().decode(body).trim();
  const { data } = errorBody.safeParse(parsed(text));
  return {
    reason,
    // A request that is not valid HTTP is refused in plain text.
    message: (data?.message ?? text) || "The broker has no answer to the request.",
    requestId: headers.get("x-request-id") ?? "",
    page: data?.details[0].debug.metadata.page,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether the token may be from before the person has changed what they allow. Nothing was sent. */
function mayBeStale({ status, refusal }: UseAnswer): boolean {
  if (refusal === undefined) return false;
  return status === 401 || refusal.reason === "USE_APPROVAL_ENDED" || refusal.reason === "USE_NOT_APPROVED";
}
