import { createServer } from "node:http";
import { fromJsonString } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import {
  ErrorInfoSchema,
  type ExchangeMcpOauthDeviceAuthorizationResponse,
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
  IdentityGatewayService,
} from "@platform-rpc/types";
import { afterAll, expect } from "vitest";
import { connectHostOptions } from "../http/connect-host.js";
import type { Call } from "../operations/call.js";
import { answerDeviceAuthorizationCases } from "../testing/cases/answer-device-authorization.js";
import { type DeviceCall, isExchange } from "../testing/cases/device-case.js";
import { answeredOf, answerOf } from "../testing/cases/device-storage-driver.js";
import { exchangeDeviceCodeCases } from "../testing/cases/exchange-device-code.js";
import { redeemDeviceCodeCases } from "../testing/cases/redeem-device-code.js";
import { type DeviceAnswer, type DeviceDriver, describeDeviceCases } from "../testing/cases/run-device-cases.js";
import { startDeviceAuthorizationCases } from "../testing/cases/start-device-authorization.js";
import { expectRpcError, reasonOf } from "./expect-rpc-error.js";
import { seeder, startPlatform } from "./start-platform.js";
import { listenOn } from "./test-server.js";

const test = await startPlatform();
const stock = createServer(connectNodeAdapter(connectHostOptions(test.platform)));
const stockPort = await listenOn(stock);
afterAll(async () => {
  stock.closeAllConnections();
  stock.close();
  await test.close();
});

const { operations } = test.platform;
const approver = { tenantId: "t-1", principalId: "p-member" };
const stranger = { tenantId: "t-2", principalId: "p-member" };
const unknownUserCode = "XXXX-XXXX";
const keys = { first: "0192f0c1-5a3e-7000-8000-0123456789ab", second: "0192f0c1-5a3e-7000-8000-0123456789ac" };

/** Returns the caller of an exchange. Its principal is not the approver. */
function callerOf(call: DeviceCall) {
  const { tenantId, oauthClientId } = { tenantId: "t-1", oauthClientId: "c-1" };
  if (!isExchange(call)) {
    return { tenantId: "t-1", principalId: "p-seeder", oauthClientId: "c-seeder" };
  }
  return {
    tenantId: call.by === "another tenant" ? "t-2" : tenantId,
    principalId: call.by === "another principal" ? "p-admin" : "p-stranger",
    oauthClientId: call.by === "another client" ? "c-2" : oauthClientId,
  };
}

interface Exchange {
  readonly deviceCode: string;
  readonly idempotencyKey: string | undefined;
  readonly caller: ReturnType<typeof callerOf>;
}

/** Makes the public call by `exchange`, and every other one by its operation. */
const driverOf = (exchange: (call: Exchange) => Promise<DeviceAnswer>): DeviceDriver => ({
  clock: test.clock,
  storage: test.storage,
  approver,
  callerOf,
  async setUp({ approverActive, allowedOperations, enabled }) {
    const client = { tenantId: "t-1", oauthClientId: "c-1", name: "Agent" };
    await operations.setOauthClient({ ...client, allowedOperations, enabled }, seeder);
    await operations.setPrincipal({ ...approver, active: approverActive }, seeder);
  },
  async start(scopes, popKeyId) {
    const wanted = { tenantId: "t-1", oauthClientId: "c-1", scopes, popPublicJwk: "", popKeyId };
    const started = await operations.startDeviceAuthorization(wanted, seeder);
    if (!started.ok) return expect.unreachable(started.reason);
    const { deviceCode, userCode, authorization } = started;
    return { deviceCode, userCode, deviceCodeHash: authorization.deviceCodeHash };
  },
  async call(codes, call) {
    if (call.operation === "Start") {
      const oauthClientId = call.with === "an unknown client" ? "unknown" : "c-1";
      const wanted = { tenantId: "t-1", oauthClientId, scopes: call.scopes, popPublicJwk: "" };
      const started = await operations.startDeviceAuthorization(wanted, seeder);
      return started.ok ? { started: started.authorization.requestedScopes } : { reason: started.reason };
    }
    const known = call.code === undefined;
    if (isExchange(call)) {
      const deviceCode = known ? codes.deviceCode : "pdc_unknown";
      const idempotencyKey = call.key && keys[call.key];
      const caller = callerOf(call);
      if (call.operation === "Exchange") return exchange({ deviceCode, idempotencyKey, caller });
      const by: Call = { ...seeder, actor: { ...seeder.actor, ...caller } };
      const redeemed = { deviceCode, idempotencyKey, proofKeyId: call.proof ?? "" };
      return answerOf(await operations.redeemDeviceCode(redeemed, by));
    }
    const input = {
      ...(call.by === undefined ? approver : stranger),
      userCode: known ? codes.userCode : unknownUserCode,
    };
    if (call.operation === "Get") {
      const outcome = await operations.getDeviceAuthorization(input, seeder);
      if (!outcome.ok) return { reason: outcome.reason };
      return { shown: outcome.status, authorization: outcome.authorization, clientName: outcome.oauthClientName };
    }
    const { operation, scopes = [] } = call;
    const answer = operation === "Deny" ? "deny" : { approve: scopes };
    return answeredOf(await operations.answerDeviceAuthorization(input, answer, seeder), operation, scopes);
  },
});

/** The fields of each response: none is left out because it is empty. */
const fields = ["status", "tokenType", "accessToken", "expiresInSeconds", "intervalSeconds", "message"];

/** Why access was denied, by the message. */
const causes = [
  [/may be granted none of the approved scopes/, "no_scopes"],
  [/approver was not active, or none of its scopes could be granted/, "burned"],
  [/denied/, "denied"],
] as const;

function answerOfResponse(response: ExchangeMcpOauthDeviceAuthorizationResponse): DeviceAnswer {
  const { status, tokenType, accessToken, expiresInSeconds, intervalSeconds, brokerToken, message } = response;
  expect(message).not.toBe("");
  if (status === "approved" && brokerToken !== undefined) {
    const { scopes, principalId, popKeyId, issuedAt, expiresAt, tenantId, role } = brokerToken;
    if (issuedAt === undefined || expiresAt === undefined) return expect.unreachable("The broker token has no times.");
    expect({ tokenType, expiresInSeconds, intervalSeconds, tenantId, role }).toEqual({
      ...{ tokenType: "Bearer", expiresInSeconds: 900, intervalSeconds: 0, tenantId: "t-1", role: "agent" },
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

const cases = [
  ...startDeviceAuthorizationCases,
  ...answerDeviceAuthorizationCases,
  ...exchangeDeviceCodeCases,
  ...redeemDeviceCodeCases,
];
const scope = { disabledClients: false, stepsBack: false, userCodes: false };

describeDeviceCases("device authorizations over HTTP", cases, scope, () =>
  driverOf(async ({ deviceCode, idempotencyKey, caller }) => {
    const headers = { "Idempotency-Key": idempotencyKey };
    const answer = await test.exchange({ deviceCode }, caller, { headers });
    expect(answer.header("cache-control")).toBe("no-store");
    if (answer.status === 200) {
      const { brokerToken: _, ...body }: { brokerToken?: object } = JSON.parse(answer.body);
      expect(Object.keys(body)).toEqual(fields);
      return answerOfResponse(fromJsonString(ExchangeMcpOauthDeviceAuthorizationResponseSchema, answer.body));
    }
    const reason = reasonOf(answer);
    expectRpcError(answer, reason);
    return { reason };
  }),
);

describeDeviceCases("device authorizations in a stock Connect host", exchangeDeviceCodeCases, scope, () =>
  driverOf(async ({ deviceCode, idempotencyKey, caller }) => {
    const baseUrl = `http://127.0.0.1:${stockPort}`;
    const transport = createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false });
    const { accessToken } = await test.issue(caller);
    const headers = new Headers({ Authorization: `Bearer ${accessToken}` });
    if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
    try {
      const gateway = createClient(IdentityGatewayService, transport);
      return answerOfResponse(await gateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, { headers }));
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      if (error.message.includes("unreachable")) throw thrown;
      const [info] = error.findDetails(ErrorInfoSchema);
      return { reason: info?.reason ?? error.message };
    }
  }),
);
