import {
  type DescMessage,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  type MessageShape,
  toJsonString,
} from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Code, ConnectError, createContextValues, type Interceptor, type UnaryResponse } from "@connectrpc/connect";
import { runUnaryCall } from "@connectrpc/connect/protocol";
import type { HeaderRecord } from "../call/call.js";
import { errorCodes, isErrorCode } from "../error/code-and-reason.js";
import { codeOfStatus } from "../error/error-answer.js";
import { isPlatformError } from "../error/platform-error.js";
import { createRedactor } from "../error/redactor.js";
import type { HttpOptions } from "../options/client-options.js";
import { type HttpAnswer, type HttpTarget, postJson } from "../wire/http.js";
import { httpAnswers, NoAnswerError } from "./connect-error.js";
import { guardInterceptors } from "./interceptor-error.js";
import type { UnaryTransport } from "./unary-attempt.js";

/** How a client reaches the platform over HTTP. */
export interface ConnectHttpOptions extends HttpOptions {
  /** Interceptors of Connect, the outermost first. They see tokens and codes: do not log requests or responses in them. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** Creates a transport for the Connect protocol over `fetch`, in JSON. */
export function createHttpTransport(target: HttpTarget, interceptors: readonly Interceptor[] = []): UnaryTransport {
  const guarded = guardInterceptors(interceptors);
  return {
    unary(method, signal, _, headers, message, contextValues = createContextValues()) {
      // runUnaryCall aborts its signal after every call, which is expensive. Only interceptors can see it.
      if (interceptors.length === 0) return send(target, method, { headers, message, signal });
      const url = `${target.baseUrl}/${pathOf(method)}`;
      const common = { stream: false, service: method.parent, method } as const;
      return runUnaryCall({
        interceptors: guarded,
        signal,
        req: { ...common, requestMethod: "POST", url, header: new Headers(headers), message, contextValues },
        next: ({ header, message, signal }) =>
          send(target, method, { headers: Object.fromEntries(header), message, signal }),
      });
    },
  };
}

const pathOf = (method: DescMethodUnary): string => `${method.parent.typeName}/${method.name}`;

/** Sends a request once. Rejects with the `ConnectError` that interceptors expect. */
async function send<I extends DescMessage, O extends DescMessage>(
  target: HttpTarget,
  method: DescMethodUnary<I, O>,
  { headers, message, signal }: { headers: HeaderRecord; message: MessageShape<I>; signal: AbortSignal },
): Promise<UnaryResponse<I, O>> {
  const body = toJsonString(method.input, message);
  const answer = await postJson(target, pathOf(method), { headers, body, signal }).catch((cause: unknown) => {
    const noAnswer = new NoAnswerError("no response arrived", { cause });
    throw new ConnectError(noAnswer.message, codeOf(signal), undefined, undefined, noAnswer);
  });
  if (answer.status !== 200) throw errorOf(answer);
  const header = headersOf(answer);
  try {
    const read = fromJson(method.output, readJson(answer.text), { ignoreUnknownFields: true });
    return { stream: false, service: method.parent, method, header, trailer: new Headers(), message: read };
  } catch (cause) {
    throw withAnswer(new ConnectError("the response cannot be read", Code.Unknown, header, undefined, cause), answer);
  }
}

/** Returns the Connect code for a call without a response, as interceptors expect it. */
function codeOf({ aborted, reason }: AbortSignal): Code {
  if (!aborted) return Code.Unavailable;
  return isPlatformError(reason, "DEADLINE_EXCEEDED") ? Code.DeadlineExceeded : Code.Canceled;
}

/** Returns the `ConnectError` for an error response, as interceptors expect it. */
function errorOf(answer: HttpAnswer): ConnectError {
  const { status, text } = answer;
  const { code, message, details } = readBody(text);
  const number = errorCodes.indexOf(isErrorCode(code) ? code : codeOfStatus(status)) + 1;
  const error = new ConnectError(typeof message === "string" ? message : "", number, headersOf(answer));
  error.details = details;
  return withAnswer(error, answer);
}

/** Returns the headers of a response, as interceptors expect them. A `fetch` other than the global one may have its own class. */
function headersOf({ headers }: HttpAnswer): Headers {
  return headers instanceof Headers ? headers : new Headers([...headers]);
}

function withAnswer(error: ConnectError, answer: HttpAnswer): ConnectError {
  httpAnswers.set(error, answer);
  return error;
}

/** A detail of an error body, in the form of Connect. */
interface Detail {
  readonly type: string;
  readonly value: Uint8Array;
  readonly debug?: JsonValue;
}

/** Reads an error body. Returns an empty one when it cannot be read. */
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

/** Decodes base64. Returns no bytes for an invalid value, because this client reads the JSON of details, not their bytes. */
function bytesOf(value: unknown): Uint8Array {
  try {
    return base64Decode(typeof value === "string" ? value : "");
  } catch {
    return new Uint8Array();
  }
}

/** Parses JSON and escapes control characters in its strings. @throws SyntaxError when the text is not JSON. */
function readJson(text: string): JsonValue {
  // Without escapes, the strings are parts of the text. A reviver takes six times as long as parsing.
  if (!text.includes("\\") && clean(text) === text) return JSON.parse(text);
  return JSON.parse(text, (_, value) => (typeof value === "string" ? clean(value) : value));
}

const clean = createRedactor([]);
