import { redacted } from "./secrets.js";

/**
 * A token that no log can print: only {@link reveal} gives it away.
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
  /** The token itself, to send it and nothing else. */
  declare readonly reveal: () => string;
  /** When it ends; undefined when that is not known. */
  declare readonly expiresAt: Date | undefined;
  /** "[redacted]". */
  declare readonly toString: () => string;
  /** "[redacted]". */
  declare readonly toJSON: () => string;

  /** Hides a token, and remembers when it ends. */
  constructor(token: string, expiresAt?: Date) {
    // Not a field: the consoles of browsers show what is in private ones, too.
    Object.assign(this, { reveal: () => token, expiresAt });
  }
}

// Also where the console of Node looks.
Object.assign(SecretToken.prototype, {
  toString: () => redacted,
  toJSON: () => redacted,
  [Symbol.for("nodejs.util.inspect.custom")]: () => redacted,
});
