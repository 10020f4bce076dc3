import type { ProvidedToken } from "./access-token.js";
import { isSecretToken } from "./secret-token.js";

/** Says what is wrong with what a provider gave, without repeating it. */
export class TokenFault extends TypeError {
  /** Whether another try may bring a token. */
  readonly passing: boolean;

  constructor(message: string, passing = false) {
    super(message);
    this.passing = passing;
  }
}

/** RFC 6750 section 2.1: nothing else can stand in an Authorization header. */
const bearerToken = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The token, and when it ends, in milliseconds since 1970. @throws TokenFault when it is none. */
export function readToken(given: ProvidedToken): { readonly token: string; readonly endsAt: number } {
  // Its type forbids that, but a forgotten `return` is easily written in JavaScript.
  if (given === undefined || given === null) throw new TokenFault("it gave nothing");
  const { accessToken, expiresAt } =
    typeof given === "string" || isSecretToken(given)
      ? { accessToken: given, expiresAt: isSecretToken(given) ? given.expiresAt : undefined }
      : given;
  const endsAt = expiresAt ? new Date(expiresAt).getTime() : Number.POSITIVE_INFINITY;
  if (Number.isNaN(endsAt)) throw new TokenFault("the expiresAt of the token is no date");
  return { token: readBearer(accessToken), endsAt };
}

/** The text of a token. @throws TokenFault when it is no bearer token. */
export function readBearer(token: unknown): string {
  const text = isSecretToken(token) ? token.reveal() : token;
  if (typeof text === "string" && bearerToken.test(text)) return text;
  throw new TokenFault("the token is empty, or no bearer token (RFC 6750 section 2.1)");
}
