import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryRateLimiter } from "../ports/rate-limiter.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createRateLimiter } from "./rate-limiter.js";

const rate = { perMinute: 600, burst: 100 };
const rates = fc.record({ perMinute: fc.integer({ min: 1, max: 100_000 }), burst: fc.integer({ min: 1, max: 50 }) });

function takeAll(limiter: MemoryRateLimiter, key: string, of = rate): number {
  let taken = 0;
  while (limiter.take(key, of) === 0) taken += 1;
  return taken;
}

describe("the rate limiter (DECISIONS 7)", () => {
  it("allows a principal 600 DeleteItem calls a minute, with a burst of 100", () => {
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

  it("keeps a separate bucket for each key", () => {
    const limiter = createRateLimiter({ clock: fakeClock() });
    takeAll(limiter, "a");
    expect(limiter.take("b", rate)).toBe(0);
  });

  it("allows no more calls in any window than the burst plus the refill of that window", () => {
    fc.assert(
      fc.property(rates, fc.array(fc.option(fc.integer({ min: 0, max: 5000 })), { maxLength: 150 }), (of, steps) => {
        const clock = fakeClock();
        const limiter = createRateLimiter({ clock });
        let wait = 0;
        const taken = steps.flatMap((step) => {
          // Some callers wait for the returned time.
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

  it("returns the exact wait: a call succeeds after it, and fails a millisecond earlier", () => {
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

  it("neither refills nor empties a bucket when the clock steps back", () => {
    const clock = fakeClock();
    const limiter = createRateLimiter({ clock });
    takeAll(limiter, "a");
    clock.advance(-3_600_000);
    expect(limiter.take("a", rate)).toBe(100);
    clock.advance(100);
    expect(limiter.take("a", rate)).toBe(0);
  });
});

describe("the bounded memory of the rate limiter", () => {
  it("never refills an empty bucket that is in constant use, however many other keys are used", () => {
    const limiter = createRateLimiter({ clock: fakeClock(), maxKeys: 10 });
    takeAll(limiter, "busy");
    for (let n = 0; n < 1000; n += 1) {
      takeAll(limiter, `other-${n}`);
      expect(limiter.take("busy", rate)).toBe(100);
    }
  });
});
