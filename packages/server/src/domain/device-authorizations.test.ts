import { expect, it } from "vitest";
import { answerDeviceAuthorizationCases } from "../testing/cases/answer-device-authorization.js";
import { createDeviceStorageDriver } from "../testing/cases/device-storage-driver.js";
import { exchangeDeviceCodeCases } from "../testing/cases/exchange-device-code.js";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { redeemDeviceCodeCases } from "../testing/cases/redeem-device-code.js";
import { describeDeviceCases } from "../testing/cases/run-device-cases.js";
import { startDeviceAuthorizationCases } from "../testing/cases/start-device-authorization.js";
import { fakeClock } from "../testing/fake-clock.js";
import { runDeviceAuthorizationModel } from "../testing/models/run-device-authorization-model.js";

const cases = [
  ...startDeviceAuthorizationCases,
  ...answerDeviceAuthorizationCases,
  ...exchangeDeviceCodeCases,
  ...redeemDeviceCodeCases,
];

describeDeviceCases("the rules of device authorizations", cases, {}, () =>
  createDeviceStorageDriver(createMemoryStorage(), fakeClock()),
);

it("DECISIONS section 4: the rules follow the model of the device authorization over any history of calls, settings and time", async () => {
  const driver = createDeviceStorageDriver(createMemoryStorage(), fakeClock());
  const reached = await runDeviceAuthorizationModel(() => driver, 1_000);
  // Guards against a property that passes because it never reaches these results.
  const exchanges = ["authorization_pending", "slow_down", "expired_token", "access_denied", "approved", "replayed"];
  const looks = ["pending", "approved", "denied", "consumed", "burned", "expired"];
  const reasons = ["DEVICE_CODE_INVALID", "DEVICE_CODE_CONSUMED", "PRINCIPAL_DISABLED", "SCOPES_NOT_REQUESTED"];
  const all = [...exchanges.map((each) => `exchange: ${each}`), ...looks.map((each) => `look: ${each}`), ...reasons];
  for (const each of [...all, "DEVICE_AUTHORIZATION_DECIDED"]) expect(reached.get(each), each).toBeGreaterThan(10);
});
