/** An access token, and when it ends. Without `expiresAt` it is used until the server rejects it. */
export interface AccessToken {
  readonly accessToken: string;
  readonly expiresAt?: Date;
}

/** Why a token is asked for. */
export interface TokenRequest {
  /** Aborted when no call waits for the token any more. */
  readonly signal: AbortSignal;
  /**
   * - `first`: the client has had none yet.
   * - `expired`: the last one has expired, or will within moments.
   * - `rejected`: the server does not accept the last one.
   */
  readonly reason: "first" | "expired" | "rejected";
}

/** Gets access tokens. Called when one is needed; calls of the client that happen meanwhile share the answer. */
export type TokenProvider = (request: TokenRequest) => string | AccessToken | Promise<string | AccessToken>;

/** Tokens for calls. */
export interface TokenSource {
  /** The token to use now. Rejects with what the provider threw, or with `TypeError` when it gave no bearer token. */
  get(signal: AbortSignal): Promise<string>;
  /**
   * Another token than one that the server rejected; undefined when there can be none, as the token is fixed. Rejects
   * as `get` does.
   */
  replace(rejected: string, signal: AbortSignal): Promise<string | undefined>;
}

/** A token is replaced this long before it ends, or when half of its life is over, if that is later. */
const marginMs = 30_000;

/** RFC 6750 section 2.1: nothing else can stand in an Authorization header. */
const bearerToken = /^[A-Za-z0-9\-._~+/]+=*$/;

/** @throws TypeError when a fixed token is no bearer token. The message does not repeat it. */
export function createTokenSource(token: string | TokenProvider, now: () => number = Date.now): TokenSource {
  if (typeof token === "string") {
    const fixed = checked(token);
    return { get: async () => fixed, replace: async () => undefined };
  }
  return createProvidedTokens(token, now);
}

function createProvidedTokens(provider: TokenProvider, now: () => number): TokenSource {
  let held: { readonly accessToken: string; readonly renewAt: number } | undefined;
  let reason: TokenRequest["reason"] = "first";
  let flight: { readonly token: Promise<string>; readonly controller: AbortController; waiting: number } | undefined;

  async function fetchToken(signal: AbortSignal): Promise<string> {
    const given = await provider({ signal, reason });
    const { accessToken, expiresAt } = typeof given === "string" ? { accessToken: given } : given;
    const life = expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt.getTime() - now();
    checked(accessToken);
    // Whoever abandoned this flight may have begun another: only one that is still wanted is kept.
    if (!signal.aborted) {
      held = { accessToken, renewAt: now() + Math.max(life - marginMs, life / 2) };
      reason = "expired";
    }
    return accessToken;
  }

  function board(): NonNullable<typeof flight> {
    const controller = new AbortController();
    const started = { controller, waiting: 0, token: fetchToken(controller.signal) };
    flight = started;
    const land = () => {
      if (flight === started) flight = undefined;
    };
    started.token.then(land, land);
    return started;
  }

  async function get(signal: AbortSignal): Promise<string> {
    if (held !== undefined && now() < held.renewAt) return held.accessToken;
    const boarded = flight ?? board();
    boarded.waiting += 1;
    const leave = () => {
      boarded.waiting -= 1;
      if (boarded.waiting > 0) return;
      if (flight === boarded) flight = undefined;
      boarded.controller.abort();
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await boarded.token;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  return {
    get,
    replace(rejected, signal) {
      if (held?.accessToken === rejected) {
        held = undefined;
        reason = "rejected";
      }
      return get(signal);
    },
  };
}

function checked(token: unknown): string {
  if (typeof token === "string" && bearerToken.test(token)) return token;
  throw new TypeError("the token is not a bearer token (RFC 6750 section 2.1)");
}
