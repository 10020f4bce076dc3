import type { Model } from "@platform-rpc/server/testing";

/** A call with the tokens of one sign-in. Refresh tokens are hashes, access tokens are ids. */
export type SessionRequest =
  | { readonly kind: "start" }
  | { readonly kind: "refresh"; readonly token: string }
  /** Calls the API with an access token. `issuedWith` is the refresh token of the same response. */
  | { readonly kind: "use"; readonly access: string; readonly issuedWith: string }
  | { readonly kind: "revoke" };

export type SessionResult =
  /** A start and a refresh return the new refresh token. */
  { readonly ok: true; readonly token?: string } | { readonly ok: false; readonly reason: string };

/** The state of a sign-in. */
export interface SessionState {
  /** The newest refresh token. Undefined: no response has shown it yet. */
  readonly newest: string | undefined;
  /** The refresh token before it. */
  readonly replaced: string | undefined;
  /** Whether an access token that was issued with the newest refresh token has been used. */
  readonly used: boolean;
  readonly revoked: boolean;
}

/**
 * The sign-in of docs/oauth.md, "Rotation", whose client makes one call at a time. A replaced refresh token returns the same successor
 * until that one, or an access token that was issued with it, was used. Later, its use revokes the sign-in.
 *
 * The server records uses of access tokens after the call, and forgets the last second if it is killed: a replaced token may return its
 * successor although an access token was used. Revoked access tokens are accepted for another second: `verify/sessions.ts` checks that.
 *
 * @param timePasses whether tokens may expire: the clock moves during the run.
 */
export function createSessionModel(timePasses: boolean): Model<SessionState, SessionRequest, SessionResult> {
  return {
    initial: { newest: undefined, replaced: undefined, used: false, revoked: false },
    step(state, request, result) {
      switch (request.kind) {
        case "start":
          if (result?.ok) return { ...state, newest: result.token };
          // The code was not approved.
          return result && state.newest === undefined ? state : undefined;
        case "revoke":
          return result?.ok === false ? undefined : { ...state, revoked: true };
        case "use":
          if (result?.ok === false) return state.revoked || timePasses ? state : undefined;
          return isNewest(state, request.issuedWith) ? { ...state, newest: request.issuedWith, used: true } : state;
        case "refresh": {
          const after = refreshed(state, request.token, result);
          return after === undefined && timePasses && result?.ok === false ? state : after;
        }
      }
    },
    // The last state.
    spent: ({ revoked }) => revoked,
    missed: () => false,
    keyOf: ({ newest, replaced, used, revoked }) => `${newest} ${replaced} ${used} ${revoked}`,
  };
}

function isNewest({ newest, replaced }: SessionState, token: string): boolean {
  return newest === token || (newest === undefined && replaced !== token);
}

function refreshed(state: SessionState, token: string, result: SessionResult | undefined): SessionState | undefined {
  if (state.revoked) return result?.ok === false ? state : undefined;
  if (token === state.newest) {
    return result?.ok === false ? undefined : { ...state, newest: result?.token, replaced: token, used: false };
  }
  if (result?.ok) {
    // The answer is repeated.
    const same = token === state.replaced && (state.newest === undefined || state.newest === result.token);
    return same ? { ...state, newest: result.token } : undefined;
  }
  return token !== state.replaced || state.used ? { ...state, revoked: true } : undefined;
}
