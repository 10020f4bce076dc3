import { fromJsonString } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
  IdentityGatewayService as gateway,
} from "@platform-rpc/types";
import { expect } from "vitest";
import { deleteItemCases } from "../../../server/src/testing/cases/delete-item.js";
import { type DeviceCase, type DeviceEvent, deleteScope } from "../../../server/src/testing/cases/device-case.js";
import { exchangeDeviceCodeCases } from "../../../server/src/testing/cases/exchange-device-code.js";
import { createMemoryStorage } from "../../../server/src/testing/cases/memory-storage.js";
import {
  type DeviceAnswer,
  type DeviceDriver,
  describeDeviceCases,
} from "../../../server/src/testing/cases/run-device-cases.js";
import {
  describeItemCases,
  type ItemAnswer,
  type ItemDriver,
} from "../../../server/src/testing/cases/run-item-cases.js";
import { createStorageHost } from "../../../server/src/testing/cases/storage-driver.js";
import { isPlatformError } from "../error/platform-error.js";
import { createPlatformClient } from "../json/index.js";
import { createFakePlatformOn, type FakePlatform } from "./create-fake-platform.js";
import { caller, oauthClients, principals } from "./server-rules.js";

function itemDriver(): ItemDriver {
  const storage = createMemoryStorage();
  const { clock, options } = createFakePlatformOn(storage);
  const { vault } = createPlatformClient(options);
  return {
    host: createStorageHost(storage, { now: clock.now, advance: clock.pass }, caller.principalId),
    caller,
    async call({ vaultId, itemId }, call): Promise<ItemAnswer> {
      const baseVersion = "baseVersion" in call ? call.baseVersion : Number.NaN;
      try {
        const { item, cursor } = await vault.deleteItem({ vaultId, itemId, baseVersion });
        const { itemId: _, tenantId, vaultId: __, updatedAt = "", ...rest } = item;
        expect(tenantId).toBe(caller.tenantId);
        return { ok: true, item: rest, updatedAt: Date.parse(updatedAt), cursor };
      } catch (error) {
        if (!isPlatformError(error)) throw error;
        const { reason = error.code } = error;
        if (!isPlatformError(error, "VERSION_CONFLICT")) return { ok: false, reason };
        return { ok: false, reason, conflict: error.detail };
      }
    },
  };
}

describeItemCases(
  "the fake platform deletes items as the platform does",
  deleteItemCases,
  { roles: "every", time: true, floors: true },
  itemDriver,
);

const { tenantId, principalId, oauthClientId } = caller;
const user = { tenantId, principalId };
const agent = { tenantId, oauthClientId };
const keys = { first: "0123456789abcdef-first", second: "0123456789abcdef-second" };

function deviceDriver(): DeviceDriver {
  const storage = createMemoryStorage();
  const platform = createFakePlatformOn(storage);
  const { clock } = platform;
  return {
    clock: { now: clock.now, advance: clock.pass, step: clock.pass },
    storage,
    approver: user,
    callerOf: () => ({ ...user, ...agent }),
    async setUp({ approverActive: active, ...client }) {
      const unused = { redirectUris: [], grantTypes: [], requirePushedAuthorizationRequests: false };
      const registered = { registeredAt: 0, registeredBy: "" };
      const now = clock.now();
      storage.commit([
        principals.put(storage, { ...user, active }, now),
        oauthClients.put(storage, { ...agent, name: "Agent", ...client, ...unused, ...registered }, now),
      ]);
    },
    async start() {
      const { deviceCode } = platform.startDevice();
      return { deviceCode, userCode: deviceCode, deviceCodeHash: deviceCode };
    },
    async call({ deviceCode }, call) {
      switch (call.operation) {
        case "Exchange":
          return exchange(platform, call.code === undefined ? deviceCode : "pdc_none", call.key && keys[call.key]);
        case "Approve":
        case "Deny":
          try {
            if (call.operation === "Deny") platform.denyDevice(deviceCode);
            else platform.approveDevice(deviceCode);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
            return { reason: "DEVICE_AUTHORIZATION_DECIDED" };
          }
          return call.operation === "Deny"
            ? { answered: "denied", scopes: [] }
            : { answered: "approved", scopes: [deleteScope] };
        default:
          return expect.unreachable(`The fake platform has no operation ${call.operation}.`);
      }
    },
  };
}

/** Exchanges a device code. Not with a client, which sends an Idempotency-Key with every call. */
async function exchange({ options }: FakePlatform, deviceCode: string, key?: string): Promise<DeviceAnswer> {
  const headers = new Headers({ Authorization: `Bearer ${options.token().accessToken}` });
  headers.set("Content-Type", "application/json");
  if (key !== undefined) headers.set("Idempotency-Key", key);
  const path = `${gateway.typeName}/${gateway.method.exchangeMcpOauthDeviceAuthorization.name}`;
  const body = JSON.stringify({ deviceCode });
  const response = await options.fetch(`${options.baseUrl}/${path}`, { method: "POST", headers, body });
  const json = await response.text();
  if (!response.ok) return { reason: JSON.parse(json).details[0].debug.reason };

  const { status, accessToken, expiresInSeconds, intervalSeconds, brokerToken, message } = fromJsonString(
    ExchangeMcpOauthDeviceAuthorizationResponseSchema,
    json,
  );
  switch (status) {
    case "approved": {
      if (brokerToken?.issuedAt === undefined || brokerToken.expiresAt === undefined)
        return expect.unreachable("The broker token has no times.");
      const { scopes, principalId: by, popKeyId, issuedAt, expiresAt } = brokerToken;
      const times = { issuedAt: timestampMs(issuedAt) / 1000, expiresAt: timestampMs(expiresAt) / 1000 };
      const tokens = `${accessToken} ${brokerToken.accessToken}`;
      return { status, tokens, scopes, principalId: by, popKeyId, ...times };
    }
    case "authorization_pending":
    case "slow_down":
      return { status, expiresInSeconds, intervalSeconds };
    case "access_denied": {
      const because = message.includes("none of the approved") ? "no_scopes" : "burned";
      return { status, because: message.includes("was denied") ? "denied" : because };
    }
    case "expired_token":
      return { status };
    default:
      return expect.unreachable(`unknown status: ${status}`);
  }
}

/** Cases with one caller, and with the scopes of the fake platform. */
const ofOneCaller = ({ given: { scopes, popKeyId, history = [] }, call }: DeviceCase) => {
  const isOwn = (event: DeviceEvent) =>
    typeof event !== "object" ||
    !("operation" in event) ||
    (event.operation !== "Redeem" && !("by" in event) && !("scopes" in event));
  return scopes === undefined && popKeyId === undefined && [...history, call].every(isOwn);
};

describeDeviceCases(
  "the fake platform exchanges device codes as the platform does",
  exchangeDeviceCodeCases.filter(ofOneCaller),
  { disabledClients: true, stepsBack: true, userCodes: true },
  deviceDriver,
);
