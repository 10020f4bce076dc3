/** Middleware has read the body before the handler. Mount the handler before body parsers. */
export class BodyConsumedError extends Error {
  override readonly name = "BodyConsumedError";
}
