import { expect, it } from "vitest";
import { answerDeviceAuthorizationCases } from "../cases/answer-device-authorization.js";
import { createDeviceStorageDriver } from "../cases/device-storage-driver.js";
import { exchangeDeviceCodeCases } from "../cases/exchange-device-code.js";
import { redeemDeviceCodeCases } from "../cases/redeem-device-code.js";
import { runDeviceCase } from "../cases/run-device-cases.js";
import { startDeviceAuthorizationCases } from "../cases/start-device-authorization.js";
import { fakeClock } from "../fake-clock.js";
import { runDeviceAuthorizationModel } from "../models/run-device-authorization-model.js";
import type { Harness } from "./harness.js";

const tables = [
  ["the start", startDeviceAuthorizationCases],
  ["the answer", answerDeviceAuthorizationCases],
  ["the exchange", exchangeDeviceCodeCases],
  ["the redemption", redeemDeviceCodeCases],
] as const;

/** Runs the cases of device authorizations: one test for each table, because a storage takes long to open. */
export function describeDeviceCasesOn({ open }: Harness): void {
  it.each(tables)("every case of %s of a device authorization", async (_, cases) => {
    const { storage } = await open();
    const driver = createDeviceStorageDriver(storage, fakeClock());
    const failures: string[] = [];
    for (const each of cases) {
      await runDeviceCase(driver, each).catch(({ message }: Error) => failures.push(`${each.title}: ${message}`));
    }
    expect(failures).toEqual([]);
  });

  it("device authorizations follow the model under random concurrent calls, in the order in which they were made", async () => {
    const { storage } = await open();
    const driver = createDeviceStorageDriver(storage, fakeClock());
    await runDeviceAuthorizationModel(() => driver, 60);
  });
}
