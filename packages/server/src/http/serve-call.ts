import { create, type DescMessage, type DescMethod, type DescService, type Message, toJson } from "@bufbuild/protobuf";
import { type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import type { JsonWriter } from "../contract/contract.js";
import type { AdmittedCaller } from "../domain/model/access.js";
import { type Call, callKey } from "../services/call.js";
import type { Route } from "../services/routes.js";
import { rpcError } from "../services/rpc-error.js";
import { decodeMessage } from "./decode-message.js";
import { handlerHeaders } from "./response-headers.js";

/** What a call needs of the exchange that it belongs to. */
export interface CallExchange extends HandlerRequest {
  readonly requestId: string;
  /** Whether nobody waits for the result any more. */
  readonly settled: boolean;
  /** Runs a part of the call. If it throws, responds with the error. */
  run(part: () => void): void;
  succeed(body: string, headers: readonly string[]): void;
  fail(thrown: unknown): void;
}

/**
 * Decodes the body, calls the implementation, and answers with its result, or with the error of the step that fails:
 * INVALID_FIELD or MALFORMED_JSON for a body that cannot be decoded, DEADLINE_EXCEEDED when the caller no longer waits, and
 * every error of the implementation. Never rejects.
 */
export async function serveCall(
  exchange: CallExchange,
  route: Route,
  claims: AdmittedCaller,
  text: string,
  write: JsonWriter | undefined,
): Promise<void> {
  try {
    const { method, operation, implementation } = route;
    const message = decodeMessage(method.input, text);
    const wanted = () => !exchange.settled && performance.now() < exchange.deadlineAt;
    const call: Call = {
      actor: {
        tenantId: claims.tenantId,
        principalId: claims.principalId,
        oauthClientId: claims.oauthClientId,
        tokenId: claims.tokenId,
        operation: operation.operation,
        requestId: exchange.requestId,
      },
      delegation: claims.delegation,
      wanted,
    };
    if (!wanted()) throw rpcError("DEADLINE_EXCEEDED");
    const context = new LazyHandlerContext(exchange, method, call);
    const response = await implementation(message, context);
    exchange.run(() => {
      const body = encodeMessage(method.output, create(method.output, response), write);
      exchange.succeed(body, context.headersSet);
    });
  } catch (thrown) {
    exchange.run(() => exchange.fail(thrown));
  }
}

/**
 * Writes a response message as JSON. Fields without presence are written even when they have their default value.
 *
 * @param write the generated function, which is a shortcut. The general encoder writes what it does not.
 * @throws Error when a value does not fit its field.
 */
export function encodeMessage(schema: DescMessage, message: Message, write?: JsonWriter): string {
  return plainJson(message, write) ?? JSON.stringify(toJson(schema, message, { alwaysEmitImplicit: true }));
}

function plainJson(message: Message, write: JsonWriter | undefined): string | undefined {
  try {
    return write?.(message);
  } catch {
    return undefined;
  }
}

/** What the context of a call reads of the request, when it is asked. */
interface HandlerRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly requestHeader: Headers;
  /** By the monotonic clock. */
  readonly deadlineAt: number;
}

/**
 * Connect's context of one call. Headers and the signal are created on first access: most handlers use neither, and an
 * AbortController for each call would be a tenth of the cost of the call.
 *
 * It is a class because an object literal with getters would get a hidden class for each call. Such a hidden class lives until
 * the next full garbage collection and retains the whole call, which doubled the cost of a call.
 */
class LazyHandlerContext implements HandlerContext {
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly service: DescService;
  readonly values: ContextValues;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  readonly #request: HandlerRequest;

  constructor(
    request: HandlerRequest,
    readonly method: DescMethod,
    call: Call,
  ) {
    this.#request = request;
    this.service = method.parent;
    this.values = createContextValues().set(callKey, call);
  }

  get url(): string {
    return this.#request.url;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#request.requestHeader;
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /** The response headers that the handler has set, as a flat list, without those that only the listener may set. */
  get headersSet(): string[] {
    return this.#responseHeader === undefined ? [] : handlerHeaders(this.#responseHeader);
  }

  // A function property, because handlers destructure it and call it without `this`.
  readonly timeoutMs = (): number => Math.max(0, this.#request.deadlineAt - performance.now());
}
