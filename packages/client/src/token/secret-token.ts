import { redacted } from "../error/redactor.js";

/**
 * A token that no log can print: only {@link reveal} returns it.
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
  /** Returns the token, to send it and nothing else. A closure, because browser consoles show private fields. */
  readonly reveal: () => string;
  /** When the token expires; undefined when that is not known. */
  readonly expiresAt: Date | undefined;

  /** Hides a token. */
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
