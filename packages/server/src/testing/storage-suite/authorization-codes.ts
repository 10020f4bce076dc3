import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Grant } from "../../domain/model/grant.js";
import { codeIn, createCodeStorageDriver, type Redeem } from "../cases/code-driver.js";
import { deleteOperation, exchangeOperation } from "../cases/device-case.js";
import { redeemAuthorizationCodeCases } from "../cases/redeem-authorization-code.js";
import { runCodeCase } from "../cases/run-code-cases.js";
import { fakeClock } from "../fake-clock.js";
import type { Harness } from "./harness.js";

const reused = { ok: false, reason: "CODE_REUSED" };

export function describeAuthorizationCodes(harness: Harness): void {
  const open = async () => {
    const { storage } = await harness.open();
    const clock = fakeClock();
    const driver = createCodeStorageDriver(storage, clock);
    const allowedOperations = [deleteOperation, exchangeOperation];
    await driver.setUp({ approverActive: true, allowedOperations, enabled: true });
    const issue = async () => {
      const code = await driver.issue({ popKeyId: "", refreshable: true });
      return { ...code, ...codeIn(driver, code) };
    };
    return { clock, driver, issue };
  };

  describe("authorization codes (RFC 6749 section 4.1, RFC 9700 section 4.5)", () => {
    it("every case of a redemption", async () => {
      const { driver } = await open();
      const failures: string[] = [];
      for (const each of redeemAuthorizationCodeCases) {
        await runCodeCase(driver, each).catch(({ message }: Error) => failures.push(`${each.title}: ${message}`));
      }
      expect(failures).toEqual([]);
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

    it("whatever client and thief send in any order, a code gives one grant, which ends with the first second use", async () => {
      const { clock, issue } = await open();
      const redeem = fc.record({
        by: fc.constantFrom(undefined, undefined, undefined, "another client" as const),
        verifier: fc.constantFrom(undefined, undefined, undefined, "another" as const),
        retry: fc.constantFrom(undefined, undefined, "another" as const, "none" as const),
      });
      const step = fc.oneof(redeem, fc.record({ ms: fc.constantFrom(1_000, 61_000) }));
      const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const code = await issue();
        const issuedAt = clock.now();
        let first: { readonly grant: Grant; readonly at: number; readonly retry: Redeem["retry"] } | undefined;
        let ended = false;
        for (const step of steps) {
          if ("ms" in step) {
            clock.advance(step.ms);
            continue;
          }
          const { by, verifier, retry } = step;
          const fits = by === undefined && verifier === undefined;
          const outcome = await code.redeem(step);
          if (first === undefined) {
            expect(outcome.ok).toBe(fits && clock.now() < issuedAt + 60_000);
            const [stored] = await code.records();
            const grant = stored?.redemption?.grant;
            if (outcome.ok && grant !== undefined) first = { grant, at: clock.now(), retry };
          } else {
            const isRetry = retry !== "none" && retry === first.retry && clock.now() < first.at + 60_000;
            if (!ended && fits && isRetry) expect(outcome).toMatchObject({ ok: true, grant: first.grant });
            else expect(outcome).toEqual(reused);
            ended ||= !(fits && isRetry);
          }
          if (first !== undefined) expect(await code.isRevoked(first.grant)).toBe(ended);
        }
      });
      await fc.assert(property, { numRuns: 60 });
    });
  });
}
