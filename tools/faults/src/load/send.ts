import { createPlatformClient, type Fetch, type PlatformClient, type TokenProvider } from "@platform-rpc/client/json";
import { createUndiciFetch } from "@platform-rpc/client/undici";
import { request } from "undici";
import * as z from "zod";
import type { CallEnd, Journal, RecordedRequest } from "../history/journal.ts";
import type { Target } from "./plan.ts";
import { type Answer, endOf, exchangeResult, hash, itemResult } from "./responses.ts";

/** How long a call may take, in milliseconds. */
const timeoutMs = 5_000;

export interface Sent extends Answer {
  /** The cookies that the response sets, as a later request sends them. */
  readonly cookies: string;
}

/** Sends a POST request. @throws if no response arrives in 5 s. */
export async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Sent> {
  const response = await request(url, { method: "POST", headers, body, signal: AbortSignal.timeout(timeoutMs) });
  const set = [response.headers["set-cookie"] ?? []].flat();
  const cookies = set.map((cookie) => cookie.split(";")[0]).join("; ");
  return { status: response.statusCode, text: await response.body.text(), cookies };
}

export function postConnect(
  url: string,
  body: object,
  { token, requestId }: { readonly token: string; readonly requestId: string },
): Promise<Sent> {
  return post(url, JSON.stringify(body), {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "connect-protocol-version": "1",
    "x-request-id": requestId,
  });
}

/** Errors before the first byte was sent. */
const unsent = new Set(["ECONNREFUSED", "ENOENT", "ENETUNREACH", "EHOSTUNREACH"]);

export function endOfFailedSend(error: unknown): CallEnd {
  const code = codeOf(error);
  return unsent.has(code) ? { refused: code } : { lost: code };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** The URL in the client's options. Each attempt replaces it by that of a target. */
const baseUrl = "http://target.invalid";

/** An Idempotency-Key that is not sent: the client adds one to every exchange. */
export const noKey = "exchange-without-a-key";

const deleteBody = z.object({ vaultId: z.string(), itemId: z.string(), baseVersion: z.number() });
const exchangeBody = z.object({ deviceCode: z.string() });

interface RecordedClientOptions {
  readonly journal: Journal;
  readonly pickTarget: () => Target;
  readonly token: TokenProvider;
  /** Whether the caller is the OAuth client that starts device authorizations. */
  readonly own: boolean;
  /** The hash of the device code of the delegation that the token names. Default: it names none. */
  readonly delegation?: string;
  readonly ended?: (request: RecordedRequest, end: CallEnd) => void;
}

/** Creates a client of the public API that records each attempt as a call. Its retries follow the rules of the contract. */
export function createRecordedClient({ token, ...options }: RecordedClientOptions): PlatformClient {
  return createPlatformClient({
    baseUrl,
    token,
    fetch: createRecordedFetch(options),
    timeoutMs: 10_000,
    retry: { maxAttempts: 4, attemptTimeoutMs: 2_000 },
    logLevel: "off",
  });
}

function createRecordedFetch(options: Omit<RecordedClientOptions, "token">): Fetch {
  const { journal, pickTarget, ended } = options;
  const send = createUndiciFetch();
  return async (url, init) => {
    const target = url.replace(baseUrl, pickTarget().publicUrl);
    const { "idempotency-key": given, ...rest } = init.headers;
    const key = given === noKey ? undefined : given;
    const headers = { ...rest, ...(key !== undefined && { "idempotency-key": key }) };
    const { request, success } = describe(init.body, key, options);
    let response: Awaited<ReturnType<Fetch>> | undefined;
    let failure: unknown;
    const end = await journal.record(request, init.headers["x-request-id"] ?? "", async () => {
      try {
        const received = await send(target, { ...init, headers });
        const text = await received.text();
        response = { status: received.status, headers: received.headers, body: null, text: async () => text };
        return endOf({ status: received.status, text }, success);
      } catch (error) {
        failure = error;
        return endOfFailedSend(error);
      }
    });
    ended?.(request, end);
    if (response === undefined) throw failure;
    return response;
  };
}

function describe(
  body: string,
  key: string | undefined,
  { own, delegation }: Pick<RecordedClientOptions, "own" | "delegation">,
) {
  const json: unknown = JSON.parse(body);
  const deletion = deleteBody.safeParse(json).data;
  if (deletion !== undefined) {
    const by = delegation === undefined ? {} : { delegation };
    return { request: { on: "item", kind: "delete", ...deletion, ...by } as const, success: itemResult };
  }
  const { deviceCode } = exchangeBody.parse(json);
  const request = {
    on: "code",
    kind: "exchange",
    codeHash: hash(deviceCode),
    own,
    ...(key !== undefined && { key }),
  } as const;
  return { request, success: exchangeResult };
}
