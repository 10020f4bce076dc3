import { fromJsonString } from "@bufbuild/protobuf";
import * as connectEntry from "@platform-rpc/client";
import { isPlatformError } from "@platform-rpc/client";
import * as jsonEntry from "@platform-rpc/client/json";
import {
  answerOfResponse,
  createDeviceOperationsDriver,
  type DeviceAnswer,
  type DeviceOperationsDriver,
  describeDeviceCases,
  exchangeDeviceCodeCases,
} from "@platform-rpc/server/testing";
import {
  type ExchangeMcpOauthDeviceAuthorizationResponse,
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
} from "@platform-rpc/types";
import { afterAll, beforeAll } from "vitest";
import { hostPlatform } from "../testing/hosted-platform.js";

let platform: Awaited<ReturnType<typeof hostPlatform>>;
let byOperations: DeviceOperationsDriver;
beforeAll(async () => {
  platform = await hostPlatform();
  byOperations = await createDeviceOperationsDriver(platform);
});
afterAll(() => platform.end());

interface Options {
  readonly baseUrl: string;
  readonly token: string;
}
type Exchange = (
  options: Options,
  deviceCode: string,
  call: { idempotencyKey?: string },
) => Promise<ExchangeMcpOauthDeviceAuthorizationResponse>;

/** Each entry of the client, with the message of what it returns. */
const entries: Readonly<Record<string, Exchange>> = {
  "@platform-rpc/client": (options, deviceCode, call) =>
    connectEntry
      .createPlatformClient(options)
      .identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, call),
  "@platform-rpc/client/json": async (options, deviceCode, call) => {
    const { identityGateway } = jsonEntry.createPlatformClient(options);
    const json = JSON.stringify(await identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, call));
    return fromJsonString(ExchangeMcpOauthDeviceAuthorizationResponseSchema, json, { ignoreUnknownFields: true });
  },
};

/** Returns what a client returned or threw. */
async function outcomeOf(exchanging: ReturnType<Exchange>): Promise<DeviceAnswer> {
  try {
    return answerOfResponse(await exchanging);
  } catch (error) {
    if (!isPlatformError(error)) throw error;
    return { reason: error.reason ?? error.code };
  }
}

for (const [entry, exchange] of Object.entries(entries)) {
  const scope = { disabledClients: false, stepsBack: false };
  describeDeviceCases(`${entry} against a listener`, exchangeDeviceCodeCases, scope, () => ({
    ...byOperations,
    // A client draws a key for a call without one.
    identifiesRetry: () => true,
    async call(codes, call) {
      if (call.operation !== "Exchange") return byOperations.call(codes, call);
      const { deviceCode, idempotencyKey, caller } = byOperations.requestOf(codes, call);
      const options = { baseUrl: platform.baseUrls.listener, token: await platform.issueTo(caller) };
      return outcomeOf(exchange(options, deviceCode, idempotencyKey === undefined ? {} : { idempotencyKey }));
    },
  }));
}
