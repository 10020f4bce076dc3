import type { Model } from "./model.js";

/** A call with the tokens of one refresh family. `at` is its time in milliseconds. Default: unknown. */
export type FamilyRequest =
  | { readonly kind: "start" }
  | {
      readonly kind: "refresh";
      readonly token: string;
      /** Whether the caller is the OAuth client of the family. Default: true. */
      readonly own?: boolean;
      /** The thumbprint of the key of which the caller has a proof; empty without a proof, by default. */
      readonly proof?: string;
      /** Default: all that were approved. */
      readonly scopes?: readonly string[] | undefined;
      readonly at?: number;
    }
  /** Calls the API with an access token. `issuedWith` is the refresh token of the same response. */
  | { readonly kind: "use"; readonly access: string; readonly issuedWith: string }
  /** Whether the caller may revoke the family. Default: true. */
  | { readonly kind: "revoke"; readonly own?: boolean; readonly at?: number };

/** A change of what a refresh reads besides the family. */
export interface FamilySettings {
  readonly kind: "settings";
  readonly principalActive: boolean;
  readonly clientEnabled: boolean;
  /** The scopes that the OAuth client may be granted. */
  readonly allowed: readonly string[];
}

/** An access token as its response describes it. */
export interface FamilyAccess {
  readonly access: string;
  readonly scopes: readonly string[];
  readonly popKeyId: string;
  /** In milliseconds. */
  readonly expiresAt: number;
}

/** What an operation on a refresh family returned. */
export type FamilyResult =
  /** A start and a refresh return the new refresh token, and a refresh whose time is known an access token. */
  | { readonly ok: true; readonly token?: string; readonly issued?: FamilyAccess }
  | { readonly ok: false; readonly reason: string };

/** The state of a refresh family. */
export interface FamilyState {
  /** The newest refresh token. Undefined: no response has shown it yet. */
  readonly newest: string | undefined;
  /** The refresh tokens before it, the last one last, and when each was replaced, in milliseconds. */
  readonly replaced: readonly { readonly token: string; readonly at: number }[];
  /** Whether an access token that was issued with the newest refresh token has been used. */
  readonly used: boolean;
  readonly revoked: boolean;
  /** Undefined: as when the family was opened. */
  readonly settings?: FamilySettings;
  /** The newest access token. Undefined if nothing but the order of the calls is known. */
  readonly issued?: FamilyAccess;
}

/** A family at its start. */
export interface OpenedFamily extends FamilyAccess {
  readonly at: number;
  readonly token: string;
}

type Refresh = Extract<FamilyRequest, { kind: "refresh" }>;
type Result = FamilyResult | undefined;

const accessLifeMs = 900_000;
const familyLifeMs = 30 * 24 * 60 * 60 * 1000;
/** How long a second process of a program without a key may be late. */
const sharedMs = 30_000;
/** How many replaced refresh tokens a family remembers. */
const remembered = 16;

/**
 * The refresh family of docs/oauth.md, "Rotation". A replaced refresh token returns the same successor until that one, or an access token
 * that was issued with it, was used; with a key, only the successor counts. Without one, it does so for 30 s in any case, because a second
 * process of the program may be late. Later, its use revokes the family.
 *
 * Without `opened`, the calls are those of a client that makes one at a time, and every reason of a rejection is possible. The server
 * records uses of access tokens after the call, and forgets the last second if it is killed: then a replaced token may return its
 * successor although an access token was used. It also may for the 30 s. Revoked access tokens are accepted for another second.
 *
 * @param timePasses whether tokens may expire before calls whose time is unknown
 * @param opened the family at its start. Needed for calls whose time is known.
 */
export function createFamilyModel(
  timePasses: boolean,
  opened?: OpenedFamily,
): Model<FamilyState, FamilyRequest | FamilySettings, FamilyResult> {
  const boundTo = opened?.popKeyId ?? "";
  const endsAt = (opened?.at ?? 0) + familyLifeMs;
  const hasEnded = (state: FamilyState, at = 0) => state.revoked || at >= endsAt;
  const rejectedFor = (result: Result, reason: string) =>
    result?.ok === false && (opened === undefined || result.reason === reason);

  function refresh(state: FamilyState, request: Refresh, result: Result): FamilyState | undefined {
    if (hasEnded(state, request.at)) return rejectedFor(result, "REFRESH_TOKEN_INVALID") ? state : undefined;
    const { token, own = true, proof = "", at = 0 } = request;
    const current = token === state.newest;
    const index = state.replaced.findLastIndex((each) => each.token === token);
    const replacedAt = state.replaced[index]?.at;
    const isLast = replacedAt !== undefined && index === state.replaced.length - 1;
    const isLost = isLast && !state.used && (boundTo === "" || proof === boundTo);
    const isShared = replacedAt !== undefined && boundTo === "" && at - replacedAt < sharedMs;
    if (!own || !(current || isLost || (isShared && opened !== undefined))) {
      if (result === undefined || rejectedFor(result, "REFRESH_TOKEN_REUSED")) return { ...state, revoked: true };
      if (!own || !isShared) return undefined;
    }
    const reason = refusal(state, request);
    if (reason !== undefined) return rejectedFor(result, reason) ? state : undefined;
    if (result?.ok === false) return undefined;
    if (current) {
      const replaced = [...state.replaced, { token, at }].slice(-remembered);
      return issue({ ...state, newest: result?.token, replaced, used: false }, request, result, false);
    }
    // The answer is repeated.
    const successor = isLast ? state.newest : state.replaced[index + 1]?.token;
    if (result === undefined || (successor !== undefined && successor !== result.token)) return undefined;
    if (isLast) return issue({ ...state, newest: result.token }, request, result, true);
    // The newest access token comes with an older refresh token: whose use counts is not known any more.
    return issue({ ...state, used: state.used || opened === undefined }, request, result, true);
  }

  /** Returns why a refresh with a good token is refused. */
  function refusal({ settings }: FamilyState, request: Refresh): string | undefined {
    if (opened === undefined) return undefined;
    if (boundTo !== "" && request.proof !== boundTo) return "PROOF_KEY_REQUIRED";
    if (settings?.clientEnabled === false) return "OAUTH_CLIENT_DISABLED";
    if (settings?.principalActive === false) return "PRINCIPAL_DISABLED";
    return granted(settings, request).length > 0 ? undefined : "SCOPES_NOT_GRANTED";
  }

  function granted(settings: FamilySettings | undefined, { scopes = opened?.scopes }: Refresh): readonly string[] {
    const approved = scopes?.filter((scope) => opened?.scopes.includes(scope)) ?? [];
    return approved.filter((scope) => settings?.allowed.includes(scope) ?? true).toSorted();
  }

  /** A repetition returns the newest access token while that is valid, if another one would be alike. */
  function issue(state: FamilyState, request: Refresh, result: Result, repeats: boolean): FamilyState | undefined {
    const { issued: newest, settings } = state;
    const { proof: popKeyId = "", at } = request;
    if (newest === undefined || at === undefined) return state;
    if (!result?.ok || result.issued === undefined) return undefined;
    const scopes = granted(settings, request);
    const alike = newest.popKeyId === popKeyId && newest.scopes.join() === scopes.join();
    const same = repeats && alike && at < newest.expiresAt;
    const expiresAt = Math.min(Math.floor(at / 1000) * 1000 + accessLifeMs, endsAt);
    const expected = same ? newest : { access: result.issued.access, scopes, popKeyId, expiresAt };
    if (same !== (result.issued.access === newest.access)) return undefined;
    return textOf(result.issued) === textOf(expected) ? { ...state, issued: expected } : undefined;
  }

  return {
    initial: {
      ...{ newest: opened?.token, replaced: [], used: false, revoked: false },
      ...(opened && { issued: opened }),
    },
    step(state, request, result) {
      switch (request.kind) {
        case "settings":
          return { ...state, settings: request };
        case "start":
          if (result?.ok) return { ...state, newest: result.token };
          // The code was not approved.
          return result && state.newest === undefined ? state : undefined;
        case "revoke":
          if (request.own === false && !hasEnded(state, request.at)) return result?.ok === false ? state : undefined;
          return result?.ok === false ? undefined : { ...state, revoked: true };
        case "use":
          if (result?.ok === false) return state.revoked || timePasses ? state : undefined;
          if (!isNewest(state, request.issuedWith)) return state;
          return { ...state, newest: request.issuedWith, used: boundTo === "" };
        case "refresh": {
          const after = refresh(state, request, result);
          return after === undefined && timePasses && result?.ok === false ? state : after;
        }
      }
    },
    // The last state.
    spent: ({ revoked }) => revoked,
    missed: () => false,
    keyOf: (state) => JSON.stringify(state),
  };
}

function isNewest({ newest, replaced }: FamilyState, token: string): boolean {
  return newest === token || (newest === undefined && !replaced.some((each) => each.token === token));
}

function textOf({ access, scopes, popKeyId, expiresAt }: FamilyAccess): string {
  return JSON.stringify([access, scopes, popKeyId, expiresAt]);
}
