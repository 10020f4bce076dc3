import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerDeviceAuthorizationCases } from "../cases/answer-device-authorization.js";
import { codeIn, createCodeStorageDriver } from "../cases/code-driver.js";
import { delegationCases } from "../cases/delegation.js";
import { deleteOperation, exchangeOperation } from "../cases/device-case.js";
import { createDeviceStorageDriver } from "../cases/device-storage-driver.js";
import { exchangeDeviceCodeCases } from "../cases/exchange-device-code.js";
import { createFamilyStorageDriver } from "../cases/family-driver.js";
import { redeemAuthorizationCodeCases } from "../cases/redeem-authorization-code.js";
import { redeemDeviceCodeCases } from "../cases/redeem-device-code.js";
import { rotateRefreshTokenCases } from "../cases/rotate-refresh-token.js";
import { runCodeCase } from "../cases/run-code-cases.js";
import { runDelegationCase } from "../cases/run-delegation-cases.js";
import { runDeviceCase } from "../cases/run-device-cases.js";
import { runFamilyCase } from "../cases/run-family-cases.js";
import { startDeviceAuthorizationCases } from "../cases/start-device-authorization.js";
import { openUses, runUseCase, useCases } from "../cases/use-item.js";
import { fakeClock } from "../fake-clock.js";
import { runDelegationModel } from "../models/run-delegation-model.js";
import { runDeviceAuthorizationModel } from "../models/run-device-authorization-model.js";
import { runFamilyModel } from "../models/run-refresh-family-model.js";
import { type Harness, runEvery } from "./harness.js";

export function describeAuthorizationCodes(harness: Harness): void {
  const open = async () => {
    const { storage } = await harness.open();
    const driver = createCodeStorageDriver(storage, fakeClock());
    const allowedOperations = [deleteOperation, exchangeOperation];
    await driver.setUp({ approverActive: true, allowedOperations, enabled: true });
    const issue = async () => {
      const code = await driver.issue({ popKeyId: "", refreshable: true });
      return { ...code, ...codeIn(driver, code) };
    };
    return { driver, issue };
  };

  describe("authorization codes (RFC 6749 section 4.1, RFC 9700 section 4.5)", () => {
    it("every case of a redemption", async () => {
      const { driver } = await open();
      await runEvery(redeemAuthorizationCodeCases, (each) => runCodeCase(driver, each));
    });

    it("20 redemptions at the same moment give one grant", async () => {
      const { issue } = await open();
      const code = await issue();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => code.redeem({})));
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
      expect(outcomes[0]).toMatchObject({ ok: true });
      const other = await issue();
      const race = await Promise.all(Array.from({ length: 20 }, () => other.redeem({ retry: "none" })));
      expect(race.filter(({ ok }) => ok)).toHaveLength(1);
      const revoked = expect.stringMatching(/^revoked: authorization code used again /);
      expect(await other.events()).toEqual(expect.arrayContaining(["granted 0 0", "opened 0 1", revoked]));
    });
  });
}

export function describeRefreshFamilies({ open }: Harness): void {
  describe("refresh families: a lost answer is not a theft (DECISIONS section 9)", () => {
    it("every case of a refresh and a revocation", async () => {
      const { storage } = await open();
      const driver = createFamilyStorageDriver(storage, fakeClock());
      await runEvery(rotateRefreshTokenCases, (each) => runFamilyCase(driver, each));
    });

    it("they follow the model under random concurrent calls, in the order in which they were made", async () => {
      const { storage } = await open();
      const clock = fakeClock();
      await runFamilyModel(() => ({ storage, clock }), 60);
    });
  });
}

export function describeUses({ open }: Harness): void {
  describe("uses of secrets: nothing is used that was not counted", () => {
    it("every case of a use", async () => {
      const { storage } = await open();
      const clock = fakeClock();
      await runEvery(useCases, (each) => runUseCase(storage, clock, each));
    });

    it("64 uses at once count up to the budget, and each retry gets the number of its use", async () => {
      const { storage } = await open();
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 70 }),
          fc.integer({ min: 1, max: 64 }),
          async (maxUses, different) => {
            const { use, uses, events } = await openUses(storage, fakeClock(), { bounds: { maxUses } });
            const ids = Array.from({ length: different }, () => crypto.randomUUID());
            const results = await Promise.all(
              Array.from({ length: 64 }, (_, index) => use({ useId: ids[index % different] ?? "" })),
            );
            const most = Math.min(maxUses, different);
            expect(await uses()).toBe(most);
            expect(await events()).toHaveLength(most);
            const counted = results.map((result) => (result.ok ? result.uses : result.reason));
            for (const [index, each] of counted.entries()) expect(each).toBe(counted[index % different]);
            expect(new Set(counted.filter((each) => typeof each === "number")).size).toBe(most);
          },
        ),
        { numRuns: 5 },
      );
    });

    it("the first report of a use is recorded once, for its person only, and its count stays", async () => {
      const { storage } = await open();
      const clock = fakeClock();
      const { use, uses, report, events } = await openUses(storage, clock, {});
      expect(await report("not_sent")).toEqual({ ok: false, reason: "ITEM_NOT_FOUND" });
      expect(await use()).toMatchObject({ ok: true, uses: 1 });
      expect(await report("not_sent", { principalId: "p-2" })).toMatchObject({ ok: false });
      for (const outcome of ["not_sent", "not_sent", "unknown"] as const)
        expect(await report(outcome)).toEqual({ ok: true });
      expect((await events()).map(({ event }) => event)).toEqual(["used at api.example: 1", "use not sent"]);
      expect(await uses()).toBe(1);
      clock.advance(24 * 60 * 60 * 1000);
      expect(await report("not_sent")).toMatchObject({ ok: false });
    });
  });
}

export function describeDelegations({ open }: Harness): void {
  describe("delegations: a budget of deletions (RFC 9396)", () => {
    it("every case of a delegation", async () => {
      const { storage } = await open();
      const clock = fakeClock();
      await runEvery(delegationCases, (each) => runDelegationCase(storage, clock, each));
    });

    it("deletions in any order with retries, conflicts, restorations, changes and ends follow the model", async () => {
      const { storage } = await open();
      const clock = fakeClock();
      await runDelegationModel(() => ({ storage, clock }), 20);
    });
  });
}

const tables = [
  ["the start", startDeviceAuthorizationCases],
  ["the answer", answerDeviceAuthorizationCases],
  ["the exchange", exchangeDeviceCodeCases],
  ["the redemption", redeemDeviceCodeCases],
] as const;

/** Runs the cases of device authorizations: one test for each table. */
export function describeDeviceCasesOn({ open }: Harness): void {
  it.each(tables)("every case of %s of a device authorization", async (_, cases) => {
    const { storage } = await open();
    const driver = createDeviceStorageDriver(storage, fakeClock());
    await runEvery(cases, (each) => runDeviceCase(driver, each));
  });

  it("device authorizations follow the model under random concurrent calls, in the order in which they were made", async () => {
    const { storage } = await open();
    const driver = createDeviceStorageDriver(storage, fakeClock());
    await runDeviceAuthorizationModel(() => driver, 60);
  });
}
