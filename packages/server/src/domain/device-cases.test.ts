import { answerDeviceAuthorizationCases } from "../testing/cases/answer-device-authorization.js";
import { createDeviceStorageDriver } from "../testing/cases/device-storage-driver.js";
import { exchangeDeviceCodeCases } from "../testing/cases/exchange-device-code.js";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { redeemDeviceCodeCases } from "../testing/cases/redeem-device-code.js";
import { describeDeviceCases } from "../testing/cases/run-device-cases.js";
import { startDeviceAuthorizationCases } from "../testing/cases/start-device-authorization.js";
import { fakeClock } from "../testing/fake-clock.js";

const cases = [
  ...startDeviceAuthorizationCases,
  ...answerDeviceAuthorizationCases,
  ...exchangeDeviceCodeCases,
  ...redeemDeviceCodeCases,
];

describeDeviceCases("the rules of device authorizations", cases, {}, () =>
  createDeviceStorageDriver(createMemoryStorage(), fakeClock()),
);
