import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Later, type Outcome, startBulkRun } from "./bulk-run.js";

type Answer = Outcome<number> | Later;

const ended = fc.constantFrom<Outcome<number>>(
  { outcome: "done", result: 1 },
  { outcome: "conflict" },
  { outcome: "failed", error: "lost" },
);
/** The answers to the calls of one target: the rate limit some times, and then how the call ends. */
const answers = fc.tuple(fc.nat({ max: 2 }), ended).map(([limited, end]): readonly Answer[] => {
  return [...Array.from({ length: limited }, (): Later => ({ outcome: "later", ms: 1 })), end];
});

describe("a bulk run", () => {
  it("ends each target in exactly one outcome, has at most 6 calls in flight, and starts none after a stop", async () => {
    const plan = { answers: fc.array(answers, { maxLength: 30 }), stopAfter: fc.option(fc.nat({ max: 40 })) };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.record(plan), async (scheduler, { answers, stopAfter }) => {
        const left = answers.map((each) => [...each]);
        const called: number[] = [];
        let inFlight = 0;
        let mostInFlight = 0;
        const run = startBulkRun<number, number>({
          targets: answers.map((_, index) => index),
          async call(target) {
            called.push(target);
            inFlight += 1;
            mostInFlight = Math.max(mostInFlight, inFlight);
            await scheduler.schedule(Promise.resolve());
            inFlight -= 1;
            return left[target]?.shift() ?? { outcome: "failed", error: "called too often" };
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
        expect({ state, total }).toEqual({ state: "ended", total: answers.length });
        expect(mostInFlight).toBeLessThanOrEqual(6);
        expect(called.length).toBeLessThanOrEqual(calledAtStop);
        for (const [target, outcome] of outcomes) expect(outcome).toEqual(answers[target]?.at(-1));
        if (calledAtStop === Number.POSITIVE_INFINITY) expect(outcomes.size).toBe(total);
        // Each target is called once for each answer that it got, and again only if it was limited.
        for (const [target, each] of left.entries()) {
          const calls = called.filter((one) => one === target).length;
          expect(calls).toBe((answers[target]?.length ?? 0) - each.length);
        }
      }),
    );
  });

  it("calls the failed targets and those that were not called again, and no others", async () => {
    const called: string[] = [];
    let lost = true;
    const run = startBulkRun<string, string>({
      targets: ["done", "conflict", "lost", "4", "5", "6", "7", "8"],
      async call(target) {
        called.push(target);
        if (target === "conflict") return { outcome: "conflict" };
        if (target === "lost" && lost) return { outcome: "failed", error: "lost" };
        return { outcome: "done", result: target };
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
});

function endOf(run: ReturnType<typeof startBulkRun<string, string>>): Promise<void> {
  return new Promise((resolve) => {
    run.subscribe(() => run.snapshot().state === "ended" && resolve());
  });
}
