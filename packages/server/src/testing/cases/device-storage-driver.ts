import { principals } from "../../domain/model/access.js";
import type { RedeemOutcome } from "../../domain/redeem-with-proof.js";
import type { FakeClock } from "../fake-clock.js";
import { createDeviceFixture } from "../storage-suite/device-fixture.js";
import { oauthClientId, principalId, tenantId } from "../storage-suite/fixture.js";
import { storeValue } from "../storage-suite/values.js";
import { isExchange } from "./device-case.js";
import type { DeviceAnswer, DeviceCodes, DeviceDriver } from "./run-device-cases.js";

const approver = { tenantId, principalId };
const stranger = { tenantId: "tenant-2", principalId };
const agentId = "agent-principal";

/** Makes the calls of the cases by applying the rules to a storage. */
export function createDeviceStorageDriver(storage: DeviceDriver["storage"], clock: FakeClock): DeviceDriver {
  const device = createDeviceFixture(storage, clock);
  let started = 0;

  const callerOf: DeviceDriver["callerOf"] = (call) => {
    const caller = { ...approver, oauthClientId };
    if (call.operation === "Start") return caller;
    if (!isExchange(call)) {
      return call.by === undefined ? caller : { ...stranger, oauthClientId };
    }
    const agent = { ...caller, principalId: agentId };
    if (call.by === "another principal") return { ...agent, principalId: "another-agent" };
    if (call.by === "another client") return { ...agent, oauthClientId: "another-client" };
    return call.by === undefined ? agent : { ...agent, tenantId: stranger.tenantId };
  };
  const newCodes = (userCode?: string): DeviceCodes => {
    started += 1;
    return {
      deviceCode: `code-${started}`,
      deviceCodeHash: `code-${started}`,
      userCode: userCode ?? `user-${started}`,
    };
  };

  return {
    clock,
    storage,
    approver,
    callerOf,
    async setUp({ approverActive, allowedOperations, enabled }) {
      await device.setUp(allowedOperations, enabled, approverActive);
      const principal = { ...stranger, active: true };
      await storeValue(storage, principals, principal);
    },
    async start(scopes, popKeyId) {
      const codes = newCodes();
      await device.start(codes.deviceCode, codes.userCode, { scopes, popKeyId });
      return codes;
    },
    async call(codes, call) {
      if (call.operation === "Start") {
        const { deviceCode, userCode } = newCodes(call.with === "the same user code" ? codes.userCode : undefined);
        const client = call.with === "an unknown client" ? "unknown" : oauthClientId;
        const outcome = await device.start(deviceCode, userCode, { scopes: call.scopes, client });
        return outcome.ok ? { started: outcome.authorization.requestedScopes } : { reason: outcome.reason };
      }
      const known = call.code === undefined;
      if (isExchange(call)) {
        const { tenantId: tenant, principalId: by, oauthClientId: caller } = callerOf(call);
        const { key, proof = "" } = call;
        const opensFamily = call.operation === "Redeem";
        const code = known ? codes.deviceCode : "unknown";
        return answerOf(await device.exchange(code, { tenant, by, caller, key, proof, opensFamily }));
      }
      const by = call.by === undefined ? approver : stranger;
      const userCode = known ? codes.userCode : "unknown";
      if (call.operation === "Get") {
        const outcome = await device.look(userCode, by);
        if (!outcome.ok) return { reason: outcome.reason };
        const { status: shown, authorization, oauthClientName: clientName } = outcome;
        return { shown, authorization, clientName };
      }
      const { operation, scopes = [] } = call;
      const outcome = await device.answer(userCode, operation === "Deny" ? "deny" : { approve: scopes }, by);
      return answeredOf(outcome, operation, scopes);
    },
  };
}

/** Converts the outcome of an answer. */
export function answeredOf(
  outcome: { readonly ok: true } | { readonly ok: false; readonly reason: string },
  operation: "Approve" | "Deny",
  scopes: readonly string[],
): DeviceAnswer {
  if (!outcome.ok) return { reason: outcome.reason };
  return operation === "Deny"
    ? { answered: "denied", scopes: [] }
    : { answered: "approved", scopes: [...new Set(scopes)].sort() };
}

export function answerOf(outcome: RedeemOutcome): DeviceAnswer {
  if (!outcome.ok) return { reason: outcome.reason };
  if (outcome.status !== "approved") {
    const { ok: _, ...answer } = outcome;
    return answer;
  }
  const { grant } = outcome;
  const { scopes, principalId, popKeyId, issuedAt, expiresAt } = grant;
  return { status: "approved", tokens: JSON.stringify(grant), scopes, principalId, popKeyId, issuedAt, expiresAt };
}
