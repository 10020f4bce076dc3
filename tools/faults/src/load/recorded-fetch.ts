import { createPlatformClient, type Fetch, type PlatformClient, type TokenProvider } from "@platform-rpc/client/json";
import { createUndiciFetch } from "@platform-rpc/client/undici";
import * as z from "zod";
import type { CallEnd, Journal, RecordedRequest } from "../history/journal.ts";
import type { Target } from "./plan.ts";
import { endOf, exchangeResult, hash, itemResult } from "./responses.ts";
import { endOfFailedSend } from "./send.ts";

/** The URL in the client's options. Each attempt replaces it by that of a target. */
const baseUrl = "http://target.invalid";

/** An Idempotency-Key that is not sent: the client adds one to every exchange. */
export const noKey = "exchange-without-a-key";

const deleteBody = z.object({ vaultId: z.string(), itemId: z.string(), baseVersion: z.number() });
const exchangeBody = z.object({ deviceCode: z.string() });

export interface RecordedClientOptions {
  readonly journal: Journal;
  readonly pickTarget: () => Target;
  readonly token: TokenProvider;
  /** Whether the caller is the OAuth client that starts device authorizations. */
  readonly own: boolean;
  /** The hash of the device code of the delegation that the token names. Default: it names none. */
  readonly delegation?: string;
  /** Called with each end of a call. */
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
