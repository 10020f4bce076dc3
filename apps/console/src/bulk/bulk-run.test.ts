import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Outcome, startBulkRun } from "./bulk-run.js";
import { endOf } from "./testing/end-of.js";

const ended = fc.constantFrom<Outcome<number>>(
  { outcome: "done", result: 1 },
  { outcome: "conflict" },
  { outcome: "failed", error: "lost" },
);
/** How the calls for some targets end: the rate limit some times, and then an outcome for each. */
const batches = fc.array(
  fc.record({ limited: fc.nat({ max: 2 }), ends: fc.array(ended, { minLength: 1, maxLength: 4 }) }),
  {
    maxLength: 30,
  },
);

const alone = <Target>(targets: readonly Target[]) => targets.map((target) => [target]);

describe("a bulk run", () => {
  it("ends each target in exactly one outcome, has at most 6 calls in flight, repeats one at a time, and starts none after a stop", async () => {
    const plan = { batches, stopAfter: fc.option(fc.nat({ max: 40 })) };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.record(plan), async (scheduler, { batches, stopAfter }) => {
        const targetsOf = batches.map(({ ends }, batch) => ends.map((end, index) => ({ batch, index, end })));
        const called: number[] = [];
        let inFlight = 0;
        let mostInFlight = 0;
        let [repeated, mostRepeated] = [0, 0];
        const run = startBulkRun<(typeof targetsOf)[number][number], number>({
          targets: targetsOf.flat(),
          divide: () => targetsOf,
          async call(targets) {
            const [{ batch } = expect.unreachable("a call has a target")] = targets;
            expect(targets).toBe(targetsOf[batch]);
            called.push(batch);
            inFlight += 1;
            mostInFlight = Math.max(mostInFlight, inFlight);
            const isRepeated = called.indexOf(batch) < called.length - 1;
            if (isRepeated) repeated += 1;
            mostRepeated = Math.max(mostRepeated, repeated);
            await scheduler.schedule(Promise.resolve());
            inFlight -= 1;
            if (isRepeated) repeated -= 1;
            const limited = called.filter((one) => one === batch).length <= (batches[batch]?.limited ?? 0);
            return limited ? { laterMs: 1 } : { outcomes: targets.map(({ end }) => end) };
          },
          sleep: () => scheduler.schedule(Promise.resolve()),
        });
        let calledAtStop = Number.POSITIVE_INFINITY;
        for (let steps = 0; scheduler.count() > 0; steps += 1) {
          if (steps === stopAfter) {
            run.stop();
            calledAtStop = called.length;
          }
          await scheduler.waitOne();
        }
        await scheduler.waitIdle();
        const { state, outcomes, total } = run.snapshot();
        expect({ state, total }).toEqual({ state: "ended", total: targetsOf.flat().length });
        expect(mostInFlight).toBeLessThanOrEqual(6);
        // They would only be limited again.
        expect(mostRepeated).toBeLessThanOrEqual(1);
        expect(called.length).toBeLessThanOrEqual(calledAtStop);
        for (const [{ end }, outcome] of outcomes) expect(outcome).toEqual(end);
        if (calledAtStop === Number.POSITIVE_INFINITY) expect(outcomes.size).toBe(total);
        // Each call is made once, and again only if it was limited.
        for (const [batch, { limited }] of batches.entries()) {
          const calls = called.filter((one) => one === batch).length;
          const isEnded = targetsOf[batch]?.every((target) => outcomes.has(target));
          if (isEnded) expect(calls).toBe(limited + 1);
          else expect(calls).toBeLessThanOrEqual(limited);
        }
      }),
    );
  });

  it("calls the failed targets and those that were not called again, and no others", async () => {
    const called: string[] = [];
    let lost = true;
    const run = startBulkRun<string, string>({
      targets: ["done", "conflict", "lost", "4", "5", "6", "7", "8"],
      divide: alone,
      async call([target = ""]) {
        called.push(target);
        if (target === "conflict") return { outcomes: [{ outcome: "conflict" }] };
        if (target === "lost" && lost) return { outcomes: [{ outcome: "failed", error: "lost" }] };
        return { outcomes: [{ outcome: "done", result: target }] };
      },
      async sleep() {},
    });
    run.stop();
    expect(run.snapshot().state).toBe("stopping");
    await endOf(run);
    expect(called).toEqual(["done", "conflict", "lost", "4", "5", "6"]);
    lost = false;
    run.again();
    await endOf(run);
    expect(called.slice(6)).toEqual(["lost", "7", "8"]);
    const { outcomes } = run.snapshot();
    expect([...outcomes].filter(([, { outcome }]) => outcome !== "done").map(([target]) => target)).toEqual([
      "conflict",
    ]);
  });

  it("calls only those targets of a call again that failed, and one of which the response says nothing", async () => {
    const called: (readonly string[])[] = [];
    const answers: readonly (readonly Outcome<string>[])[] = [
      [
        { outcome: "done", result: "a" },
        { outcome: "failed", error: "refused" },
      ],
      [{ outcome: "done", result: "b" }, { outcome: "conflict" }],
    ];
    const run = startBulkRun<string, string>({
      targets: ["a", "b", "c"],
      divide: (targets) => [targets],
      async call(targets) {
        called.push(targets);
        return { outcomes: answers[called.length - 1] ?? [] };
      },
      async sleep() {},
    });
    await endOf(run);
    expect(run.snapshot().outcomes.get("c")).toMatchObject({ outcome: "failed", error: expect.any(Error) });
    run.again();
    await endOf(run);
    expect(called).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
    ]);
    expect(run.snapshot().outcomes.get("c")).toEqual({ outcome: "conflict" });
  });
});
