import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { nodeHttp } from "@platform-rpc/front";
import { rpcError } from "../services/rpc-error.js";
import { BodyConsumedError } from "./http-exchange.js";

/** Receives each chunk of a body as it arrives, then null at the end. */
export type TakeBody = (chunk: Buffer | null) => void;

/**
 * A request whose body can be taken directly from the parser. For a small body, a stream and its events would cost more than
 * the whole gate. Until the body is taken, the request is an ordinary stream.
 */
export class ReceivedRequest extends nodeHttp.IncomingMessage {
  readonly arrivedAt = performance.now();
  #take: TakeBody | undefined;

  takeBody(take: TakeBody): void {
    this.#take = take;
    // Gets what has arrived already. The read also marks the body as used: otherwise node:http would discard the rest.
    const arrived: Buffer | null = this.read();
    if (arrived !== null) take(arrived);
    if (this.complete) take(null);
  }

  /** Called by the parser. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#take === undefined) return super.push(chunk, encoding);
    this.#take(chunk);
    return true;
  }
}

// node:http releases a request whose stream has ended. Not in the class: a getter cannot override the field of the type.
Object.defineProperty(ReceivedRequest.prototype, "readableEnded", {
  get(this: ReceivedRequest) {
    return this.complete;
  },
});

/**
 * Passes the body of a request to `take`. If it is called twice, the second function receives everything from then on.
 *
 * @throws BodyConsumedError
 */
export function takeBody(request: IncomingMessage, take: TakeBody): void {
  if (request instanceof ReceivedRequest) request.takeBody(take);
  else if (request.readableEnded) throw new BodyConsumedError();
  else
    request
      .removeAllListeners("data")
      .on("data", take)
      .on("end", () => take(null));
}

/** Receives a body, or the error for a body that cannot be read. */
interface BodyReader {
  received(text: string): void;
  fail(thrown: unknown): void;
}

/**
 * Reads a body as text. Checks the size while reading, because a body in chunks has no Content-Length.
 *
 * @throws BodyConsumedError
 */
export function readBody(request: IncomingMessage, limit: number, reader: BodyReader): void {
  const chunks: Buffer[] = [];
  let size = 0;
  takeBody(request, (chunk) => {
    if (size > limit) return;
    if (chunk === null) {
      const [first] = chunks;
      const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
      if (isUtf8(body)) reader.received(body.toString("utf8"));
      else reader.fail(rpcError("MALFORMED_JSON"));
      return;
    }
    size += chunk.length;
    if (size > limit) reader.fail(rpcError("REQUEST_TOO_LARGE"));
    else chunks.push(chunk);
  });
}
