const redacted = "[redacted]";

/** A token that no log can print: only {@link reveal} gives it away. */
export class SecretToken {
  readonly #token: string;
  /** When it ends; undefined when that is not known. */
  readonly expiresAt: Date | undefined;

  constructor(token: string, expiresAt?: Date) {
    this.#token = token;
    this.expiresAt = expiresAt;
  }

  /** The token itself, to send it and nothing else. */
  reveal(): string {
    return this.#token;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  /** What console.log of Node prints. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}
