import type { JsonValue } from "@bufbuild/protobuf";
import type { Outgoing } from "./caller.js";
import type { PlatformErrorCode } from "./error-code.js";
import { NetworkFailure } from "./network-failure.js";

/** What a request over HTTP brought. */
export interface HttpAnswer {
  /** Whether the status says that the body is the answer of the operation. */
  readonly ok: boolean;
  /** The code that the status stands for, should the body tell of none. */
  readonly code: PlatformErrorCode;
  readonly headers: Headers;
  /** Undefined when it is no JSON. */
  readonly body: JsonValue | undefined;
}

/** Sends the JSON of a request to an operation, once (Connect protocol, "Unary-Request"). */
export type PostJson = (
  url: string,
  body: string,
  outgoing: Pick<Outgoing, "headers" | "signal">,
) => Promise<HttpAnswer>;

/**
 * The codes of answers without an error body, by the Connect protocol ("Error codes") but for 429: who asks for fewer calls
 * is not called again unless it says when.
 */
const codeOfStatus: Readonly<Record<number, PlatformErrorCode>> = {
  400: "internal",
  401: "unauthenticated",
  403: "permission_denied",
  404: "unimplemented",
  429: "resource_exhausted",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/**
 * Rejects with a `NetworkFailure`. Does not follow redirects, which would take the token elsewhere: they are answers, but
 * none of the contract. To have `fetch` refuse them (`redirect: "error"`) is not possible on Cloudflare Workers.
 */
export function createPostJson(fetch: typeof globalThis.fetch | undefined): PostJson {
  return async (url, body, { headers: sent, signal }) => {
    sent.set("Content-Type", "application/json");
    sent.set("Connect-Protocol-Version", "1");
    try {
      const response = await (fetch ?? globalThis.fetch)(url, {
        ...{ method: "POST", headers: sent, body, signal },
        redirect: "manual",
      });
      const { ok, status, headers } = response;
      return { ok, headers, code: codeOfStatus[status] ?? "unknown", body: parse(await response.text()) };
    } catch (thrown) {
      throw new NetworkFailure("no answer arrived", { cause: thrown });
    }
  };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
