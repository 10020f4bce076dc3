import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.js";
import { createGuessLimiter as create, type GuessLimiterOptions } from "./guess-limiter.js";

/** Creates a limiter of single keys, with a method that only checks. */
function createGuessLimiter(options: GuessLimiterOptions) {
  const limiter = create(options);
  return {
    miss: (key: string) => limiter.guess([{ key, most: 1000 }]),
    pardon: (key: string) => limiter.pardon([key]),
    blocked(key: string, most: number): boolean {
      if (limiter.guess([{ key, most }]) !== true) return true;
      limiter.pardon([key]);
      return false;
    },
  };
}

describe("the guess limiter (DECISIONS 7, RFC 8628 section 5.1)", () => {
  it("blocks a key after 5 misses in 10 minutes, until the first of them is 10 minutes old", () => {
    const clock = fakeClock();
    const limiter = createGuessLimiter({ clock });
    expect(limiter.blocked("a", 5)).toBe(false);
    for (let n = 0; n < 5; n += 1) {
      expect(limiter.blocked("a", 5)).toBe(false);
      limiter.miss("a");
      clock.advance(1000);
    }
    clock.advance(600_000 - 5000 - 1);
    expect(limiter.blocked("a", 5)).toBe(true);
    clock.advance(1);
    expect(limiter.blocked("a", 5)).toBe(false);
    limiter.miss("a");
    expect(limiter.blocked("a", 5)).toBe(true);
  });

  it("ends a block when the clock is set back by the window or more", () => {
    const clock = fakeClock();
    const limiter = createGuessLimiter({ clock });
    limiter.miss("a");
    clock.step(-600_000);
    expect(limiter.blocked("a", 1)).toBe(false);
  });

  it("blocks a key exactly when the window contains that many misses", () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 40 }),
      key: fc.constantFrom("a", "b"),
      miss: fc.boolean(),
      most: fc.integer({ min: 0, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const clock = fakeClock();
        const limiter = createGuessLimiter({ clock, windowMs: 100 });
        const log: { key: string; at: number }[] = [];
        limiter.blocked("a", 6);
        for (const { wait, key, miss, most } of steps) {
          clock.advance(wait);
          if (miss) {
            limiter.miss(key);
            log.push({ key, at: clock.now() });
          }
          const counted = log.filter((entry) => entry.key === key && clock.now() - entry.at < 100).length;
          expect(limiter.blocked(key, most)).toBe(counted >= most);
        }
      }),
    );
  });

  it("counts a guess for all of its keys, or for none if one of them is blocked", () => {
    const limiter = create({ clock: fakeClock() });
    const limits = ["a", "b"].map((key, index) => ({ key, most: index + 1 }));
    expect([limiter.guess(limits), limiter.guess(limits)]).toEqual([true, false]);
    limiter.pardon(["a"]);
    expect([limiter.guess(limits), limiter.guess(limits.slice(1))]).toEqual([true, false]);
  });
});
