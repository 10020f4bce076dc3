const redacted = "[redacted]";

/** Shared by every copy of the package in a program: the entries of its CommonJS build are copies of each other. */
const brand = Symbol.for("@platform/client.SecretToken");

/**
 * A token that no log can print: only {@link reveal} gives it away.
 *
 * @example
 * ```ts
 * import { SecretToken } from "@platform/client";
 *
 * const secret = new SecretToken(token);
 * console.log(secret, `${secret}`, JSON.stringify({ secret }));
 * // [redacted] [redacted] {"secret":"[redacted]"}
 * console.log(secret.reveal() === token);
 * // true
 * ```
 */
export class SecretToken {
  /** A function, because the consoles of browsers show what is in private fields. */
  readonly #token: () => string;
  /** When it ends; undefined when that is not known. */
  readonly expiresAt: Date | undefined;

  /** Hides a token, and remembers when it ends. */
  constructor(token: string, expiresAt?: Date) {
    this.#token = () => token;
    this.expiresAt = expiresAt;
  }

  /** The token itself, to send it and nothing else. */
  reveal(): string {
    return this.#token();
  }

  /** "[redacted]". */
  toString(): string {
    return redacted;
  }

  /** "[redacted]". */
  toJSON(): string {
    return redacted;
  }

  /** What console.log of Node prints. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}

// On the prototype: it tells the kind, not one token.
Object.defineProperty(SecretToken.prototype, brand, { value: true });

/** Whether a value is a `SecretToken`, from whichever copy of this package. */
export function isSecretToken(value: unknown): value is SecretToken {
  return typeof value === "object" && value !== null && brand in value;
}
