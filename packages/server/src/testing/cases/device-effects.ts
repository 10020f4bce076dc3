import { expect } from "vitest";
import type { Actor } from "../../domain/model/actor.js";
import type { DeviceAuthorization } from "../../domain/model/device-authorization.js";
import { type DeviceCall, type DeviceOutcome, isExchange } from "./device-case.js";

/** Who makes the calls. */
export interface DeviceCallers {
  /** The principal who approves, in the tenant of the authorizations. */
  readonly approver: { readonly tenantId: string; readonly principalId: string };
  /** Returns who makes a call, as the audit trail records it. */
  callerOf(call: DeviceCall): Pick<Actor, "tenantId" | "principalId" | "oauthClientId">;
  /** Returns whether an exchange is made with something that identifies a retry. Default: whether it has an Idempotency-Key. */
  readonly identifiesRetry?: (call: DeviceCall) => boolean;
}

type Changes = (
  driver: DeviceCallers,
  before: DeviceAuthorization,
  call: DeviceCall,
  now: number,
) => Partial<DeviceAuthorization>;

/** Returns what an outcome changes of the authorization, and what it adds to the audit trail. */
export function effectOf(
  outcome: DeviceOutcome,
  call: DeviceCall,
): { readonly changes?: Changes; readonly events: readonly string[] } {
  if ("started" in outcome) return { events: ["started"] };
  if ("answered" in outcome) {
    const { answered: state, scopes: approvedScopes } = outcome;
    return {
      changes: ({ approver }) => ({ state, approvedScopes, approverId: approver.principalId }),
      events: [state],
    };
  }
  if ("reason" in outcome) {
    if (outcome.reason === "PRINCIPAL_DISABLED" && isExchange(call)) return burnedBecause("approver not active");
    const event = "revoked: code reused by a foreign caller";
    const { revokes } = outcome;
    return { events: revokes === undefined ? [] : revokes === "the grant and its family" ? [event, event] : [event] };
  }
  if ("shown" in outcome || "replayed" in outcome) return { events: [] };
  switch (outcome.status) {
    case "approved":
      return { changes: consumption, events: call.operation === "Redeem" ? ["granted", "opened"] : ["granted"] };
    case "authorization_pending":
      return { changes: (_driver, _before, _call, lastPollAt) => ({ lastPollAt }), events: [] };
    case "slow_down":
      return { changes: () => ({ intervalSeconds: outcome.intervalSeconds }), events: [] };
    case "access_denied":
      return outcome.because === "no_scopes" ? burnedBecause("no approved scope can be granted") : { events: [] };
    case "expired_token":
      return { events: [] };
  }
}

const burnedBecause = (why: string) => ({
  changes: (): { state: "burned" } => ({ state: "burned" }),
  events: [`burned: ${why}`],
});

const consumption: Changes = (driver, _before, call, at) => ({
  state: "consumed",
  consumption: {
    grantId: expect.any(String),
    principalId: driver.callerOf(call).principalId,
    idempotencyKeyHash: (driver.identifiesRetry?.(call) ?? "key" in call) ? expect.any(String) : undefined,
    at,
  },
});
