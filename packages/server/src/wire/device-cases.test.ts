import { createServer } from "node:http";
import { fromJsonString } from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import {
  ErrorInfoSchema,
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
  IdentityGatewayService,
} from "@platform-rpc/types";
import { afterAll, expect } from "vitest";
import { connectHostOptions } from "../http/connect-host.js";
import { answerDeviceAuthorizationCases } from "../testing/cases/answer-device-authorization.js";
import {
  answerOfResponse,
  createDeviceOperationsDriver,
  type DeviceExchange,
} from "../testing/cases/device-operations-driver.js";
import { exchangeDeviceCodeCases } from "../testing/cases/exchange-device-code.js";
import { redeemDeviceCodeCases } from "../testing/cases/redeem-device-code.js";
import { type DeviceAnswer, type DeviceDriver, describeDeviceCases } from "../testing/cases/run-device-cases.js";
import { startDeviceAuthorizationCases } from "../testing/cases/start-device-authorization.js";
import { expectRpcError, reasonOf } from "./expect-rpc-error.js";
import { startPlatform } from "./start-platform.js";
import { listenOn } from "./test-server.js";

const test = await startPlatform();
const stock = createServer(connectNodeAdapter(connectHostOptions(test.platform)));
const stockPort = await listenOn(stock);
afterAll(async () => {
  stock.closeAllConnections();
  stock.close();
  await test.close();
});

const { clock, storage, platform } = test;
const byOperations = await createDeviceOperationsDriver({ clock, storage, operations: platform.operations });

/** Makes the public call by `exchange`, and every other one by its operation. */
const driverOf = (exchange: (request: DeviceExchange) => Promise<DeviceAnswer>): DeviceDriver => ({
  ...byOperations,
  call: (codes, call) =>
    call.operation === "Exchange" ? exchange(byOperations.requestOf(codes, call)) : byOperations.call(codes, call),
});

/** The fields of each response: none is left out because it is empty. */
const fields = ["status", "tokenType", "accessToken", "expiresInSeconds", "intervalSeconds", "message"];

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
