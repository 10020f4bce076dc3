import {
  describeCodeCases,
  describeDeviceCases,
  describeFamilyCases,
  redeemAuthorizationCodeCases,
  redeemDeviceCodeCases,
  rotateRefreshTokenCases,
} from "@platform-rpc/server/testing";
import { afterAll } from "vitest";
import { openTokenEndpoint } from "./testing/token-endpoint.js";

const endpoint = await openTokenEndpoint();
afterAll(() => endpoint.close());

const scope = { tenants: false };
const oneOfEach = { ...scope, outcomes: "one of each" } as const;
describeDeviceCases("device codes at the token endpoint", redeemDeviceCodeCases, oneOfEach, () => endpoint.device);
describeCodeCases("codes at the token endpoint", redeemAuthorizationCodeCases, scope, () => endpoint.code);
describeFamilyCases("refresh tokens at the token endpoint", rotateRefreshTokenCases, oneOfEach, () => endpoint.family);
