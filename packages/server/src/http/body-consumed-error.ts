/** Thrown when middleware has already read the body. Mount the handler before body parsers. */
export class BodyConsumedError extends Error {
  override readonly name = "BodyConsumedError";
}
