import { expect, it } from "vitest";
import { createDeviceStorageDriver } from "../testing/cases/device-storage-driver.js";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { runDeviceAuthorizationModel } from "../testing/models/run-device-authorization-model.js";

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
