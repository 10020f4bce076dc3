import type { TokenProvider } from "./access-token.js";
import { readBearer } from "./bearer-token.js";
import { createProvidedTokens, type ProvidedTokensDeps } from "./provided-tokens.js";
import type { SecretToken } from "./secret-token.js";

/** Tokens for calls. */
export interface TokenSource {
  /** The token to use now. Rejects with what the provider threw, or with `TokenFault`. */
  get(): Promise<string>;
  /** Notes that the server accepts a token. */
  accept(token: string): void;
  /** Notes that the server rejects a token: the next one is another, if there is one. */
  reject(token: string): void;
}

/** @throws TypeError when a fixed token is no bearer token. The message does not repeat it. */
export function createTokenSource(token: string | SecretToken | TokenProvider, deps: ProvidedTokensDeps): TokenSource {
  if (typeof token === "function") return createProvidedTokens(token, deps);
  const fixed = readBearer(token);
  return { get: async () => fixed, accept: () => undefined, reject: () => undefined };
}
