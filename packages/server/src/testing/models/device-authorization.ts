import type { Model } from "./model.js";

/** A call on one device authorization. `at` is its time in milliseconds. Default: unknown. */
export type AuthorizationRequest =
  | {
      readonly kind: "exchange";
      /** Whether the caller started the authorization. Another caller's exchange of a consumed code revokes the grant. */
      readonly own: boolean;
      /** The Idempotency-Key; undefined if the call has none. */
      readonly key?: string;
      /** The principal of the caller. Default: always the same. */
      readonly by?: string;
      readonly at?: number;
    }
  /** Default: all scopes that are requested. */
  | { readonly kind: "approve"; readonly scopes?: readonly string[]; readonly at?: number }
  /** `look` reads the status, as the approver does. */
  | { readonly kind: "deny" | "look" | "revoke"; readonly at?: number };

/** A change of what an exchange reads besides the authorization. */
export interface AuthorizationSettings {
  readonly kind: "settings";
  readonly approverActive: boolean;
  /** The scopes that the OAuth client may be granted. Undefined: every scope. */
  readonly allowed?: readonly string[];
}

/** What a call on a device authorization returned. */
export type AuthorizationResult =
  | { readonly ok: true; readonly status: "approved"; readonly tokens: string; readonly scopes?: readonly string[] }
  | {
      readonly ok: true;
      readonly status: string;
      readonly tokens?: undefined;
      readonly expiresInSeconds?: number;
      readonly intervalSeconds?: number;
    }
  | { readonly ok: false; readonly reason: string };

/** The exchange that consumed a code. */
export interface AuthorizationConsumption {
  readonly key: string | undefined;
  readonly by: string | undefined;
  readonly at: number | undefined;
  /** A digest of the tokens. Undefined: the response with them was lost, so they are not known yet. */
  readonly tokens: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly revoked: boolean;
}

/** The state of a device authorization. */
export interface AuthorizationState {
  readonly kind: "pending" | "approved" | "denied" | "burned" | "consumed";
  readonly settings: Omit<AuthorizationSettings, "kind">;
  /** The approved scopes. Undefined: all that are requested. */
  readonly scopes?: readonly string[] | undefined;
  readonly intervalSeconds: number;
  /** The time of the last accepted poll. Undefined if it is unknown, too. */
  readonly lastPollAt?: number;
  readonly consumption?: AuthorizationConsumption;
}

type Exchange = Extract<AuthorizationRequest, { kind: "exchange" }>;
type Result = AuthorizationResult | undefined;

const codeLifeMs = 600_000;
const replayMs = 60_000;

/**
 * The device authorization of docs/decisions.md, section 4, from its start on.
 *
 * @param timePasses whether codes may expire, and replays end, before calls whose time is unknown
 * @param started when it was started, in milliseconds, and the scopes that were requested. Needed for calls whose time is known.
 */
export function createAuthorizationModel(
  timePasses: boolean,
  started: { readonly at: number; readonly scopes: readonly string[] } = { at: 0, scopes: [] },
): Model<AuthorizationState, AuthorizationRequest | AuthorizationSettings, AuthorizationResult> {
  /** Returns whether a time has come: "maybe" if that is unknown. */
  const hasCome = (at: number | undefined, end: number) => (at === undefined ? timePasses && "maybe" : at >= end);
  const codeEnd = started.at + codeLifeMs;

  function answer(
    state: AuthorizationState,
    request: Extract<AuthorizationRequest, { at?: number }>,
    result: Result,
  ): AuthorizationState | undefined {
    const scopes = request.kind === "approve" ? request.scopes : undefined;
    const ended = hasCome(request.at, codeEnd);
    const undecided = state.kind === "pending" && ended !== true;
    const requested = scopes?.every((scope) => started.scopes.includes(scope)) ?? true;
    if (result === undefined || result.ok) {
      const possible = state.settings.approverActive && undecided && requested;
      return possible ? { ...state, scopes, kind: request.kind === "deny" ? "denied" : "approved" } : undefined;
    }
    if (!state.settings.approverActive) return result.reason === "PRINCIPAL_DISABLED" ? state : undefined;
    const decided = result.reason === "DEVICE_AUTHORIZATION_DECIDED";
    if (!undecided) return decided ? state : undefined;
    return (decided && ended) || (result.reason === "SCOPES_NOT_REQUESTED" && !requested) ? state : undefined;
  }

  function look(state: AuthorizationState, at: number | undefined, result: Result): AuthorizationState | undefined {
    if (result === undefined) return undefined;
    if (!result.ok) return !state.settings.approverActive && result.reason === "PRINCIPAL_DISABLED" ? state : undefined;
    const ended = (state.kind === "pending" || state.kind === "approved") && hasCome(at, codeEnd);
    if (result.status === "expired") return ended ? state : undefined;
    return ended !== true && result.status === state.kind ? state : undefined;
  }

  function exchange(state: AuthorizationState, request: Exchange, result: Result): AuthorizationState | undefined {
    if (state.consumption !== undefined) return replay(state, state.consumption, request, result);
    const status = result?.ok ? result.status : result?.reason;
    if (state.kind === "denied" || state.kind === "burned") return status === "access_denied" ? state : undefined;
    const ended = hasCome(request.at, codeEnd);
    if (status === "expired_token") return ended ? state : undefined;
    if (ended === true) return undefined;
    if (state.kind === "pending") return poll(state, request.at, result);

    const burned = { ...state, kind: "burned" } as const;
    if (!state.settings.approverActive) {
      return result === undefined || status === "PRINCIPAL_DISABLED" ? burned : undefined;
    }
    const { allowed } = state.settings;
    const scopes = state.scopes?.filter((scope) => allowed?.includes(scope) ?? true).toSorted();
    if (scopes?.length === 0) return result === undefined || status === "access_denied" ? burned : undefined;
    const { key, by, at } = request;
    if (result !== undefined && !("tokens" in result && result.tokens !== undefined)) return undefined;
    if (result?.scopes?.join() !== (result?.scopes && scopes?.join())) return undefined;
    return { ...state, kind: "consumed", consumption: { key, by, at, tokens: result?.tokens, scopes, revoked: false } };
  }

  function poll(state: AuthorizationState, at: number | undefined, result: Result): AuthorizationState | undefined {
    if (!result?.ok || (result.status !== "authorization_pending" && result.status !== "slow_down")) return undefined;
    if (at === undefined || result.tokens !== undefined) return state;
    const { intervalSeconds, lastPollAt = Number.NEGATIVE_INFINITY } = state;
    const early = at < lastPollAt + intervalSeconds * 900;
    const next = early
      ? { ...state, intervalSeconds: Math.min(intervalSeconds + 5, 60) }
      : { ...state, lastPollAt: at };
    const seen =
      (result.status === "slow_down") === early &&
      result.intervalSeconds === next.intervalSeconds &&
      result.expiresInSeconds === Math.ceil((codeEnd - at) / 1000);
    return seen ? next : undefined;
  }

  /** Only the call that consumed the code may have its tokens again, and only by its Idempotency-Key. */
  function replay(
    state: AuthorizationState,
    consumption: AuthorizationConsumption,
    { key, by, at }: Exchange,
    result: Result,
  ): AuthorizationState | undefined {
    if (result === undefined) return undefined;
    const { approverActive, allowed } = state.settings;
    const same = key !== undefined && key === consumption.key && by === consumption.by;
    const grantable = consumption.scopes?.every((scope) => allowed?.includes(scope) ?? true) ?? true;
    const ended = hasCome(at, (consumption.at ?? 0) + replayMs);
    const possible = same && approverActive && grantable && !consumption.revoked && ended !== true;
    if (!result.ok) return result.reason === "DEVICE_CODE_CONSUMED" && (!possible || ended) ? state : undefined;
    if (!possible || result.tokens === undefined) return undefined;
    if (consumption.tokens === undefined) return { ...state, consumption: { ...consumption, tokens: result.tokens } };
    return consumption.tokens === result.tokens ? state : undefined;
  }

  return {
    initial: { kind: "pending", settings: { approverActive: true }, intervalSeconds: 5 },
    step(state, request, result) {
      switch (request.kind) {
        case "settings": {
          const { kind: _, ...settings } = request;
          return { ...state, settings };
        }
        case "revoke":
          return result?.ok === false ? undefined : revoked(state);
        case "exchange":
          return request.own ? exchange(state, request, result) : foreignExchange(state, result);
        case "look":
          return look(state, request.at, result);
        case "approve":
        case "deny":
          return answer(state, request, result);
      }
    },
    spent(state, request, result) {
      if (request.kind === "look") return true;
      if (request.kind === "approve" || request.kind === "deny") return state.kind !== "pending";
      const own = request.kind === "exchange" && request.own;
      // Only tokens change the state.
      if (own && result !== undefined && (!result.ok || result.tokens === undefined)) return true;
      // A foreign exchange has the same result before the code is consumed, but revokes the grant afterwards.
      if (state.consumption === undefined) return state.kind === "denied";
      return state.consumption.revoked || own;
    },
    missed: () => false,
    keyOf: (state) => JSON.stringify(state),
  };
}

function revoked(state: AuthorizationState): AuthorizationState | undefined {
  const { consumption } = state;
  return consumption && { ...state, consumption: { ...consumption, revoked: true } };
}

function foreignExchange(state: AuthorizationState, result: Result): AuthorizationState | undefined {
  if (result !== undefined && (result.ok || result.reason !== "DEVICE_CODE_INVALID")) return undefined;
  return revoked(state) ?? (result === undefined ? undefined : state);
}
