import { redacted } from "../error/redactor.js";

/**
 * A token that prints as "[redacted]" in logs and JSON. Only {@link reveal} returns it.
 *
 * @example
 * ```ts
 * import { SecretToken } from "@platform-rpc/client";
 *
 * const secret = new SecretToken(token);
 * console.log(secret, `${secret}`, JSON.stringify({ secret }));
 * // [redacted] [redacted] {"secret":"[redacted]"}
 * console.log(secret.reveal() === token);
 * // true
 * ```
 */
export class SecretToken {
  /** Returns the token. Use it only to send the token. A closure, because browser consoles show private fields. */
  readonly reveal: () => string;
  /** When the token expires; undefined when unknown. */
  readonly expiresAt: Date | undefined;

  /** Wraps a token. */
  constructor(token: string, expiresAt?: Date) {
    this.reveal = () => token;
    this.expiresAt = expiresAt;
  }

  /** Returns "[redacted]". */
  toString(): string {
    return redacted;
  }

  /** Returns "[redacted]". */
  toJSON(): string {
    return redacted;
  }

  /** Returns "[redacted]", for the console of Node. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}
