import type { IncomingMessage } from "node:http";
import { BodyConsumedError } from "./body-consumed-error.js";
import { nodeHttp } from "./node-http.js";

/** Gets each chunk of a body as it arrives, then null at the end. */
export type TakeBody = (chunk: Buffer | null) => void;

/**
 * A request whose body can be taken directly from the parser. A stream with its events would cost a small body more than the
 * whole gate. Until the body is taken, the request is an ordinary stream.
 */
export class ReceivedRequest extends nodeHttp.IncomingMessage {
  #take: TakeBody | undefined;

  takeBody(take: TakeBody): void {
    this.#take = take;
    // What has arrived before. It also tells node:http that the body is read: otherwise it would discard the rest.
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

// node:http releases a request whose stream has ended. The type declares a field, which a getter cannot override.
Object.defineProperty(ReceivedRequest.prototype, "readableEnded", {
  get(this: ReceivedRequest) {
    return this.complete;
  },
});

/**
 * Passes the body of a request to `take`. Of two functions, only the later one gets what arrives from then on.
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
