import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReplayCache } from "./replay-cache.js";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;

/** A cache with a clock that a test sets. */
function setUp(options: Parameters<typeof createReplayCache>[0] = {}) {
  const cache = createReplayCache(options);
  let now = start;
  return {
    at: (ms: number) => {
      now = start + ms;
    },
    record: (proofId: string, expiresAt = minute, thumbprint = "key") =>
      cache.record({ proofId, thumbprint, expiresAt: start + expiresAt, now }),
  };
}

describe("the replay cache (RFC 9449 section 11.1)", () => {
  it("removes proofs a minute after they expired, and not earlier", () => {
    const { at, record } = setUp({ capacity: 2, capacityPerKey: 2 });
    record("a");
    record("b", minute + 10_000);
    at(2 * minute);
    expect(record("c", 3 * minute, "other")).toBe("full");
    expect(record("a")).toBe("seen");
    at(2 * minute + 1_000);
    expect(record("c", 3 * minute, "other")).toBe("first");
    expect(record("d", 3 * minute, "other")).toBe("full");
    expect(record("b", minute + 10_000)).toBe("seen");
  });

  it("rejects proofs that a clock set back makes acceptable again, and accepts those that expire later", () => {
    const { at, record } = setUp();
    record("a");
    at(60 * minute);
    expect(record("b", 61 * minute)).toBe("first");
    at(0);
    expect(record("a")).toBe("seen");
    expect(record("c")).toBe("seen");
    expect(record("c", minute + 1)).toBe("first");
    expect(record("b", 61 * minute)).toBe("seen");
  });

  it("one key cannot fill it for others, and its own proofs are still recognized", () => {
    const { record } = setUp({ capacity: 40 });
    const flood = Array.from({ length: 100 }, (_, n) => record(`${n}`, minute, "flooding"));
    expect(flood.filter((answer) => answer === "first")).toHaveLength(2);
    expect(flood.filter((answer) => answer === "key_full")).toHaveLength(98);
    expect(record("0", minute, "flooding")).toBe("seen");
    expect(record("0", minute, "other")).toBe("first");
  });

  it("accepts each proof once, however the clock steps, and never exceeds its capacity", () => {
    const step = fc.record({
      proof: fc.integer({ min: 0, max: 40 }),
      key: fc.constantFrom("a", "b", "c"),
      clock: fc.integer({ min: -300, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { at, record } = setUp({ capacity: 8, capacityPerKey: 4 });
        const given = new Map<string, { readonly expiresAt: number; readonly key: string }>();
        let latest = Number.NEGATIVE_INFINITY;
        for (const { proof, key, clock } of steps) {
          at(clock * 1000);
          latest = Math.max(latest, clock * 1000);
          const expiresAt = proof * 10_000;
          const id = `${key}-${proof}`;
          const answer = record(id, expiresAt, key);
          if (given.has(id)) expect(answer).toBe("seen");
          if (answer === "first") given.set(id, { expiresAt, key });
          const kept = [...given.values()].filter((one) => one.expiresAt + minute >= latest);
          expect(kept.length).toBeLessThanOrEqual(8);
          expect(kept.filter((one) => one.key === key).length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});
