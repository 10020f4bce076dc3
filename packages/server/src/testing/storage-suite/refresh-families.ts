import { describe, expect, it } from "vitest";
import { createFamilyStorageDriver } from "../cases/family-driver.js";
import { rotateRefreshTokenCases } from "../cases/rotate-refresh-token.js";
import { runFamilyCase } from "../cases/run-family-cases.js";
import { fakeClock } from "../fake-clock.js";
import { runFamilyModel } from "../models/run-refresh-family-model.js";
import type { Harness } from "./harness.js";

export function describeRefreshFamilies({ open }: Harness): void {
  describe("refresh families: a lost answer is not a theft (DECISIONS section 9)", () => {
    it("every case of a refresh and a revocation", async () => {
      const { storage } = await open();
      const driver = createFamilyStorageDriver(storage, fakeClock());
      const failures: string[] = [];
      for (const each of rotateRefreshTokenCases) {
        await runFamilyCase(driver, each).catch(({ message }: Error) => failures.push(`${each.title}: ${message}`));
      }
      expect(failures).toEqual([]);
    });

    it("they follow the model under random concurrent calls, in the order in which they were made", async () => {
      const { storage } = await open();
      const clock = fakeClock();
      await runFamilyModel(() => ({ storage, clock }), 60);
    });
  });
}
