import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ExchangeMcpOauthDeviceAuthorizationResponse } from "@platform-rpc/types";
import { expect } from "vitest";
import type { Call } from "../../services/call.js";
import type { Operations } from "../../services/operations.js";
import { type DeviceCall, deleteOperation, exchangeOperation, isExchange } from "./device-case.js";
import { answeredOf, answerOf } from "./device-storage-driver.js";
import type { DeviceAnswer, DeviceCodes, DeviceDriver } from "./run-device-cases.js";

/** A request with a device code. */
export interface DeviceExchange {
  readonly deviceCode: string;
  readonly idempotencyKey: string | undefined;
  readonly caller: { readonly tenantId: string; readonly principalId: string; readonly oauthClientId: string };
}

/** Makes the calls of the cases by operations. A way in replaces those that it serves. */
export interface DeviceOperationsDriver extends DeviceDriver {
  /** Whoever makes the calls that need no device code. */
  readonly administrator: DeviceExchange["caller"];
  /** Returns what a call with a device code sends. */
  requestOf(codes: DeviceCodes, call: DeviceCall): DeviceExchange;
}

const tenantId = "t-1";
const approver = { tenantId, principalId: "p-member" };
const stranger = { tenantId: "t-2", principalId: "p-member" };
const administrator = { tenantId, principalId: "p-administrator", oauthClientId: "c-administrator" };
const agent = { tenantId, principalId: "p-agent", oauthClientId: "c-1" };
const callers = {
  "another principal": { ...agent, principalId: "p-another" },
  "another client": { ...agent, oauthClientId: "c-2" },
  "another tenant": { ...agent, tenantId: stranger.tenantId },
};
const keys = { first: "0192f0c1-5a3e-7000-8000-0123456789ab", second: "0192f0c1-5a3e-7000-8000-0123456789ac" };
const everything = { name: "Agent", allowedOperations: [deleteOperation, exchangeOperation], enabled: true };

const callBy = (caller: DeviceExchange["caller"]): Call => ({
  actor: { ...caller, tokenId: "token-1", operation: "cases", requestId: "r-1" },
  wanted: () => true,
});

/** Creates the principals and OAuth clients of the cases, and makes the calls of the cases by operations. */
export async function createDeviceOperationsDriver({
  operations,
  ...parts
}: Pick<DeviceDriver, "clock" | "storage"> & {
  readonly operations: Pick<
    Operations,
    | "answerDeviceAuthorization"
    | "exchangeDeviceCode"
    | "getDeviceAuthorization"
    | "redeemDeviceCode"
    | "setOauthClient"
    | "setPrincipal"
    | "startDeviceAuthorization"
  >;
}): Promise<DeviceOperationsDriver> {
  const own = callBy(administrator);
  for (const { tenantId: tenant, principalId } of [agent, ...Object.values(callers), stranger]) {
    await operations.setPrincipal({ tenantId: tenant, principalId, active: true }, own);
  }
  for (const { tenantId: tenant, oauthClientId } of Object.values(callers)) {
    await operations.setOauthClient({ tenantId: tenant, oauthClientId, ...everything }, own);
  }

  const callerOf = (call: DeviceCall) => {
    if (!isExchange(call)) return administrator;
    return call.by === undefined ? agent : callers[call.by];
  };
  const requestOf: DeviceOperationsDriver["requestOf"] = ({ deviceCode }, call) => ({
    deviceCode: "code" in call && call.code === "unknown" ? "pdc_unknown" : deviceCode,
    idempotencyKey: "key" in call && call.key !== undefined ? keys[call.key] : undefined,
    caller: callerOf(call),
  });
  return {
    ...parts,
    approver,
    administrator,
    callerOf,
    requestOf,
    async setUp({ approverActive, allowedOperations, enabled }) {
      const { oauthClientId } = agent;
      await operations.setOauthClient({ tenantId, oauthClientId, name: "Agent", allowedOperations, enabled }, own);
      await operations.setPrincipal({ ...approver, active: approverActive }, own);
    },
    async start(scopes, popKeyId) {
      const started = await operations.startDeviceAuthorization({ ...agent, scopes, popPublicJwk: "", popKeyId }, own);
      if (!started.ok) return expect.unreachable(started.reason);
      const { deviceCode, userCode, authorization } = started;
      return { deviceCode, userCode, deviceCodeHash: authorization.deviceCodeHash };
    },
    async call(codes, call) {
      if (call.operation === "Start") {
        const oauthClientId = call.with === "an unknown client" ? "unknown" : agent.oauthClientId;
        const wanted = { tenantId, oauthClientId, scopes: call.scopes, popPublicJwk: "" };
        const started = await operations.startDeviceAuthorization(wanted, own);
        return started.ok ? { started: started.authorization.requestedScopes } : { reason: started.reason };
      }
      if (isExchange(call)) {
        const { caller, ...request } = requestOf(codes, call);
        const by = callBy(caller);
        return answerOf(
          call.operation === "Exchange"
            ? await operations.exchangeDeviceCode(request, by)
            : await operations.redeemDeviceCode({ ...request, proofKeyId: call.proof ?? "" }, by),
        );
      }
      const input = userCodeOf(codes, call);
      if (call.operation === "Get") {
        const outcome = await operations.getDeviceAuthorization(input, own);
        if (!outcome.ok) return { reason: outcome.reason };
        return { shown: outcome.status, authorization: outcome.authorization, clientName: outcome.oauthClientName };
      }
      const { operation, scopes = [] } = call;
      const answer = operation === "Deny" ? "deny" : { approve: scopes };
      return answeredOf(await operations.answerDeviceAuthorization(input, answer, own), operation, scopes);
    },
  };
}

/** Returns what a call with a user code sends. */
export function userCodeOf(
  { userCode }: DeviceCodes,
  call: Extract<DeviceCall, { readonly operation: "Get" | "Deny" | "Approve" }>,
) {
  return {
    ...(call.by === undefined ? approver : stranger),
    userCode: call.code === undefined ? userCode : "XXXX-XXXX",
  };
}

/** Why access was denied, by the message. */
const causes = [
  [/may be granted none of the approved scopes/, "no_scopes"],
  [/approver was not active, or none of its scopes could be granted/, "burned"],
  [/denied/, "denied"],
] as const;

/** Converts the response of an exchange, and checks the fields that follow from its status. @throws an error of `expect` */
export function answerOfResponse(response: ExchangeMcpOauthDeviceAuthorizationResponse): DeviceAnswer {
  const { status, tokenType, accessToken, expiresInSeconds, intervalSeconds, brokerToken, message } = response;
  expect(message).not.toBe("");
  if (status === "approved" && brokerToken !== undefined) {
    const { scopes, principalId, popKeyId, issuedAt, expiresAt, tenantId: tenant, role } = brokerToken;
    if (issuedAt === undefined || expiresAt === undefined) return expect.unreachable("The broker token has no times.");
    expect({ tokenType, expiresInSeconds, intervalSeconds, tenant, role }).toEqual({
      ...{ tokenType: "Bearer", expiresInSeconds: 900, intervalSeconds: 0, tenant: tenantId, role: "agent" },
    });
    const [tokens, seconds] = [`${accessToken} ${brokerToken.accessToken}`, 1000];
    const times = { issuedAt: timestampMs(issuedAt) / seconds, expiresAt: timestampMs(expiresAt) / seconds };
    return { status, tokens, scopes, principalId, popKeyId, ...times };
  }
  expect({ tokenType, accessToken, brokerToken }).toEqual({ tokenType: "", accessToken: "", brokerToken: undefined });
  if (status === "authorization_pending" || status === "slow_down")
    return { status, expiresInSeconds, intervalSeconds };
  expect({ expiresInSeconds, intervalSeconds }).toEqual({ expiresInSeconds: 0, intervalSeconds: 0 });
  if (status === "expired_token") return { status };
  if (status !== "access_denied") return expect.unreachable(`unknown status: ${status}`);
  const because = causes.find(([pattern]) => pattern.test(message))?.[1];
  return because === undefined ? expect.unreachable(message) : { status, because };
}
