import type { Model } from "@platform-rpc/server/testing";

/** A call on one device authorization. */
export type AuthorizationRequest =
  | {
      readonly kind: "exchange";
      /** Whether the caller started the authorization. Another caller's exchange of a consumed code revokes the grant. */
      readonly own: boolean;
      /** The Idempotency-Key; undefined if the call has none. */
      readonly key?: string;
    }
  /** `look` reads the status, as the approver does. */
  | { readonly kind: "approve" | "deny" | "look" | "revoke" };

export type AuthorizationResult =
  | { readonly ok: true; readonly status: "approved"; readonly tokens: string }
  | { readonly ok: true; readonly status: string; readonly tokens?: undefined }
  | { readonly ok: false; readonly reason: string };

/** The state of a device authorization. */
export type AuthorizationState =
  | { readonly kind: "pending" | "approved" | "denied" }
  | {
      readonly kind: "consumed";
      /** The Idempotency-Key of the exchange that consumed the code. */
      readonly key: string | undefined;
      /** A digest of the tokens. Undefined: the response with them was lost, so they are not known yet. */
      readonly tokens: string | undefined;
      readonly revoked: boolean;
    };

type Consumed = Extract<AuthorizationState, { kind: "consumed" }>;

/**
 * The device authorization of docs/decisions.md, section 4, from its start on. Its OAuth client stays enabled, and its approver
 * active.
 *
 * @param timePasses whether codes may expire, and replays end: the clock moves during the run.
 */
export function createAuthorizationModel(
  timePasses: boolean,
): Model<AuthorizationState, AuthorizationRequest, AuthorizationResult> {
  return {
    initial: { kind: "pending" },
    step(state, request, result) {
      const { kind } = state;
      if (request.kind === "revoke") {
        return kind === "consumed" && result?.ok !== false ? { ...state, revoked: true } : undefined;
      }
      if (request.kind === "exchange") return exchange(state, request, result, timePasses);
      if (request.kind === "look") return look(state, result, timePasses);
      const answered = { kind: request.kind === "deny" ? "denied" : "approved" } as const;
      if (result === undefined) return kind === "pending" ? answered : undefined;
      if (result.ok) return kind === "pending" ? answered : undefined;
      const late = kind !== "pending" || timePasses;
      return late && result.reason === "DEVICE_AUTHORIZATION_DECIDED" ? state : undefined;
    },
    spent(state, request, result) {
      if (request.kind === "look") return true;
      if (request.kind === "approve" || request.kind === "deny") return state.kind !== "pending";
      const own = request.kind === "exchange" && request.own;
      // Only tokens change the state.
      if (own && result !== undefined && (!result.ok || result.tokens === undefined)) return true;
      // A foreign exchange has the same result before the code is consumed, but revokes the grant afterwards.
      if (state.kind !== "consumed") return state.kind === "denied";
      return state.revoked || own;
    },
    missed: () => false,
    keyOf: (state) =>
      state.kind === "consumed" ? `${state.key ?? "-"} ${state.tokens ?? "?"} ${state.revoked}` : state.kind,
  };
}

function look(
  state: AuthorizationState,
  result: AuthorizationResult | undefined,
  timePasses: boolean,
): AuthorizationState | undefined {
  if (!result?.ok) return undefined;
  return result.status === state.kind || (timePasses && result.status === "expired") ? state : undefined;
}

function exchange(
  state: AuthorizationState,
  request: Extract<AuthorizationRequest, { kind: "exchange" }>,
  result: AuthorizationResult | undefined,
  timePasses: boolean,
): AuthorizationState | undefined {
  if (!request.own) return foreignExchange(state, result);
  if (result === undefined) {
    return state.kind === "approved" ? consumedBy(request.key, undefined) : undefined;
  }
  if (timePasses && result.ok && result.status === "expired_token")
    return state.kind === "consumed" ? undefined : state;
  switch (state.kind) {
    case "pending":
      return result.ok && (result.status === "authorization_pending" || result.status === "slow_down")
        ? state
        : undefined;
    case "denied":
      return result.ok && result.status === "access_denied" ? state : undefined;
    case "approved":
      return result.ok && result.tokens !== undefined ? consumedBy(request.key, result.tokens) : undefined;
    case "consumed":
      return replay(state, request.key, result, timePasses);
  }
}

function consumedBy(key: string | undefined, tokens: string | undefined): Consumed {
  return { kind: "consumed", key, tokens, revoked: false };
}

/** Only the call that consumed the code may have its tokens again, and only by its Idempotency-Key. */
function replay(
  state: Consumed,
  key: string | undefined,
  result: AuthorizationResult,
  timePasses: boolean,
): AuthorizationState | undefined {
  const allowed = key !== undefined && key === state.key && !state.revoked;
  if (!result.ok) {
    return result.reason === "DEVICE_CODE_CONSUMED" && (!allowed || timePasses) ? state : undefined;
  }
  if (!allowed || result.tokens === undefined) return undefined;
  if (state.tokens === undefined) return { ...state, tokens: result.tokens };
  return state.tokens === result.tokens ? state : undefined;
}

function foreignExchange(
  state: AuthorizationState,
  result: AuthorizationResult | undefined,
): AuthorizationState | undefined {
  if (result !== undefined && (result.ok || result.reason !== "DEVICE_CODE_INVALID")) return undefined;
  if (state.kind === "consumed") return { ...state, revoked: true };
  return result === undefined ? undefined : state;
}
