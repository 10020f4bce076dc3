import { fromJson, type JsonValue, toJsonString } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Code, ConnectError, createContextValues, type Interceptor, type Transport } from "@connectrpc/connect";
import { runUnaryCall } from "@connectrpc/connect/protocol";
import { parseBaseUrl } from "../base-url.js";
import { codeOfStatus } from "../error-body.js";
import { errorCodes } from "../error-code.js";
import { isPlatformError } from "../platform-error.js";
import { postJson } from "../post-json.js";
import { withholding } from "../secrets.js";
import { NetworkLoss } from "./connect-error.js";
import { guardInterceptors } from "./interceptor-fault.js";

/** Where the platform is, and how it is reached over HTTP. */
export interface HttpOptions {
  /**
   * The URL of the platform, as `https://api.example.com` or with a path prefix. No credentials, query or fragment. Use
   * `http:` only where nobody can eavesdrop: every call carries a token.
   */
  readonly baseUrl: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Interceptors of Connect, the outermost first. They see tokens and codes: do not log what they see. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** The Connect protocol over `fetch`, in JSON, for calls with a deadline. @throws TypeError when `baseUrl` is not acceptable. */
export function createHttpTransport({ baseUrl, fetch, interceptors = [] }: HttpOptions): Transport {
  const base = parseBaseUrl(baseUrl);
  const guarded = guardInterceptors(interceptors);
  return {
    unary(method, signal, _, headers, message, contextValues = createContextValues()) {
      const url = `${base}/${method.parent.typeName}/${method.name}`;
      const common = { stream: false, service: method.parent, method } as const;
      const header = new Headers(headers);
      return runUnaryCall({
        interceptors: guarded,
        ...(signal && { signal }),
        req: { ...common, requestMethod: "POST", url, header, message, contextValues },
        async next({ header, message, signal, url }) {
          const body = toJsonString(method.input, message);
          const [answer, text] = await postJson(fetch, url, body, header, signal).catch((cause: unknown) => {
            throw new ConnectError(
              "no answer arrived",
              codeOf(signal),
              undefined,
              undefined,
              new NetworkLoss("no answer arrived", { cause }),
            );
          });
          if (!answer.ok) throw errorOf(answer, text);
          try {
            const read = fromJson(method.output, readJson(text), { ignoreUnknownFields: true });
            return { ...common, header: answer.headers, trailer: new Headers(), message: read };
          } catch (cause) {
            throw new ConnectError("the answer cannot be read", Code.Unknown, answer.headers, undefined, cause);
          }
        },
      });
    },
    async stream() {
      throw new ConnectError("the platform has no streams", Code.Unimplemented);
    },
  };
}

/** Why no answer arrived, as interceptors of Connect expect it. */
function codeOf({ aborted, reason }: AbortSignal): Code {
  if (!aborted) return Code.Unavailable;
  return isPlatformError(reason, "DEADLINE_EXCEEDED") ? Code.DeadlineExceeded : Code.Canceled;
}

/** What an answer that is no success means, as interceptors of Connect expect it. */
function errorOf({ status, headers }: Response, text: string): ConnectError {
  const { code, message, details } = readBody(text);
  const known = (details.some(isOfPlatform) && errorCodes.find((one) => one === code)) || codeOfStatus(status);
  const error = new ConnectError(typeof message === "string" ? message : "", errorCodes.indexOf(known) + 1, headers);
  error.details = details;
  return error;
}

/** A detail of an error body, as Connect holds those that arrived. */
interface Detail {
  readonly type: string;
  readonly value: Uint8Array;
  readonly debug?: JsonValue;
}

/** Whether a detail says that the platform gives the code, and not who stands before it. */
function isOfPlatform({ debug }: Detail): boolean {
  return Object(debug).domain === "platform.v1";
}

/** An error body, or an empty one when it is none. */
function readBody(text: string): { readonly code?: unknown; readonly message?: unknown; readonly details: Detail[] } {
  try {
    const { code, message, details }: { code?: unknown; message?: unknown; details?: unknown } = Object(readJson(text));
    return { code, message, details: Array.isArray(details) ? details.map(readDetail) : [] };
  } catch {
    return { details: [] };
  }
}

function readDetail(detail: unknown): Detail {
  const { type, value, debug }: { type?: unknown; value?: unknown; debug?: JsonValue } = Object(detail);
  return { type: typeof type === "string" ? type : "", value: bytesOf(value), ...(debug !== undefined && { debug }) };
}

/** Empty when they are none: it is their JSON that this client reads. */
function bytesOf(value: unknown): Uint8Array {
  try {
    return base64Decode(typeof value === "string" ? value : "");
  } catch {
    return new Uint8Array();
  }
}

/** Without control characters. @throws SyntaxError when it is no JSON. */
function readJson(text: string): JsonValue {
  return JSON.parse(text, withholding([]));
}
