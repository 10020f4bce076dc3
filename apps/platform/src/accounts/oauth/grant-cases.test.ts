import {
  describeCodeCases,
  describeDeviceCases,
  describeFamilyCases,
  redeemAuthorizationCodeCases,
  redeemDeviceCodeCases,
  rotateRefreshTokenCases,
} from "@platform-rpc/server/testing";
import { afterAll, beforeAll } from "vitest";
import { openTokenEndpoint } from "./testing/token-endpoint.js";

let endpoint: Awaited<ReturnType<typeof openTokenEndpoint>>;
beforeAll(async () => {
  endpoint = await openTokenEndpoint();
});
afterAll(() => endpoint.close());

const scope = { tenants: false };
describeDeviceCases("device codes at the token endpoint", redeemDeviceCodeCases, scope, () => endpoint.device);
describeCodeCases("codes at the token endpoint", redeemAuthorizationCodeCases, scope, () => endpoint.code);
describeFamilyCases("refresh tokens at the token endpoint", rotateRefreshTokenCases, scope, () => endpoint.family);
