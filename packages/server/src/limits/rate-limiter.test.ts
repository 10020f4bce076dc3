import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.js";
import { createRateLimiter } from "./rate-limiter.js";

const rate = { perMinute: 600, burst: 100 };
const rates = fc.record({ perMinute: fc.integer({ min: 1, max: 100_000 }), burst: fc.integer({ min: 1, max: 50 }) });

function takeAll(limiter: ReturnType<typeof createRateLimiter>, key: string, of = rate): number {
  let taken = 0;
  while (limiter.take(key, of) === 0) taken += 1;
  return taken;
}

describe("rates (DECISIONS 7)", () => {
  it("DeleteItem: 600 a minute for a principal, burst 100", () => {
    const clock = fakeClock();
    const limiter = createRateLimiter({ clock });
    expect(takeAll(limiter, "a")).toBe(100);
    expect(limiter.take("a", rate)).toBe(100);
    clock.advance(99);
    expect(limiter.take("a", rate)).toBe(1);
    clock.advance(1);
    expect(limiter.take("a", rate)).toBe(0);
    let taken = 0;
    for (let ms = 0; ms < 60_000; ms += 1) {
      clock.advance(1);
      if (limiter.take("a", rate) === 0) taken += 1;
    }
    expect(taken).toBe(600);
  });

  it("keys do not share a bucket", () => {
    const limiter = createRateLimiter({ clock: fakeClock() });
    takeAll(limiter, "a");
    expect(limiter.take("b", rate)).toBe(0);
  });

  it("a bucket that is left alone is full again, and never fuller", () => {
    const clock = fakeClock();
    const limiter = createRateLimiter({ clock });
    takeAll(limiter, "a");
    clock.advance(10_000);
    expect(takeAll(limiter, "a")).toBe(100);
    clock.advance(1e12);
    expect(takeAll(limiter, "a")).toBe(100);
  });

  it("in any window no more is taken than the burst and what came back in it", () => {
    fc.assert(
      fc.property(rates, fc.array(fc.option(fc.integer({ min: 0, max: 5000 })), { maxLength: 150 }), (of, steps) => {
        const clock = fakeClock();
        const limiter = createRateLimiter({ clock });
        let wait = 0;
        const taken = steps.flatMap((step) => {
          // Some callers wait as long as they were told.
          clock.advance(step ?? wait);
          wait = limiter.take("a", of);
          return wait === 0 ? [clock.now()] : [];
        });
        for (const [first, from] of taken.entries()) {
          for (const [last, to] of taken.entries()) {
            const most = of.burst * 60_000 + (to - from) * of.perMinute;
            if (last >= first) expect((last - first + 1) * 60_000).toBeLessThanOrEqual(most);
          }
        }
      }),
    );
  });

  it("the wait is exact: a millisecond earlier there is none to take, then there is", () => {
    fc.assert(
      fc.property(rates, fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 80 }), (of, steps) => {
        const clock = fakeClock();
        const limiter = createRateLimiter({ clock });
        for (const step of steps) {
          clock.advance(step);
          const wait = limiter.take("a", of);
          if (wait === 0) continue;
          clock.advance(wait - 1);
          expect(limiter.take("a", of)).toBe(1);
          clock.advance(1);
          expect(limiter.take("a", of)).toBe(0);
        }
      }),
    );
  });

  it("a clock that steps back gives nothing and takes nothing", () => {
    const clock = fakeClock();
    const limiter = createRateLimiter({ clock });
    takeAll(limiter, "a");
    clock.advance(-3_600_000);
    expect(limiter.take("a", rate)).toBe(100);
    clock.advance(100);
    expect(limiter.take("a", rate)).toBe(0);
  });
});

describe("bounded memory", () => {
  it("nobody gets a new burst by hammering an empty bucket, whatever others do", () => {
    const limiter = createRateLimiter({ clock: fakeClock(), maxKeys: 10 });
    takeAll(limiter, "hammered");
    for (let n = 0; n < 1000; n += 1) {
      takeAll(limiter, `other-${n}`);
      expect(limiter.take("hammered", rate)).toBe(100);
    }
  });

  it("nor by leaving it alone while fewer than half of maxKeys others are used", () => {
    const limiter = createRateLimiter({ clock: fakeClock(), maxKeys: 10 });
    takeAll(limiter, "left");
    for (let n = 0; n < 4; n += 1) limiter.take(`other-${n}`, rate);
    expect(limiter.take("left", rate)).toBe(100);
  });

  it("what was not used for longest is forgotten", () => {
    const limiter = createRateLimiter({ clock: fakeClock(), maxKeys: 10 });
    takeAll(limiter, "forgotten");
    for (let n = 0; n < 10; n += 1) limiter.take(`other-${n}`, rate);
    expect(limiter.take("forgotten", rate)).toBe(0);
  });
});
