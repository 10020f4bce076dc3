import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createProofReplayMemory } from "./broker-replay-memory.js";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;

/** A memory with a clock that may be set. */
function setUp(options: Parameters<typeof createProofReplayMemory>[0] = {}) {
  const memory = createProofReplayMemory(options);
  let now = start;
  return {
    at: (ms: number) => {
      now = start + ms;
    },
    remember: (proofId: string, expiresAt = minute, thumbprint = "key") =>
      memory.remember({ proofId, thumbprint, expiresAt: start + expiresAt, now }),
  };
}

describe("the memory of used proofs (RFC 9449 section 11.1)", () => {
  it("recognises a proof until a minute after it expired", () => {
    const { at, remember } = setUp();
    expect(remember("a")).toBe("first");
    expect(remember("b")).toBe("first");
    at(2 * minute);
    expect(remember("a")).toBe("seen");
  });

  it("makes room a minute after proofs have expired, and never before", () => {
    const { at, remember } = setUp({ capacity: 2, capacityOfKey: 2 });
    remember("a");
    remember("b", minute + 10_000);
    at(2 * minute);
    expect(remember("c", 3 * minute, "other")).toBe("full");
    expect(remember("a")).toBe("seen");
    at(2 * minute + 1_000);
    expect(remember("c", 3 * minute, "other")).toBe("first");
    expect(remember("d", 3 * minute, "other")).toBe("full");
    expect(remember("b", minute + 10_000)).toBe("seen");
  });

  it("refuses what a clock that was set back makes acceptable again, and takes what expires later", () => {
    const { at, remember } = setUp();
    remember("a");
    at(60 * minute);
    expect(remember("b", 61 * minute)).toBe("first");
    at(0);
    expect(remember("a")).toBe("seen");
    expect(remember("c")).toBe("seen");
    expect(remember("c", minute + 1)).toBe("first");
    expect(remember("b", 61 * minute)).toBe("seen");
  });

  it("one key cannot fill it for others, and its own proofs are still recognised", () => {
    const { remember } = setUp({ capacity: 40 });
    const flood = Array.from({ length: 100 }, (_, n) => remember(`${n}`, minute, "flooding"));
    expect(flood.filter((answer) => answer === "first")).toHaveLength(2);
    expect(flood.filter((answer) => answer === "key_full")).toHaveLength(98);
    expect(remember("0", minute, "flooding")).toBe("seen");
    expect(remember("0", minute, "other")).toBe("first");
  });

  it("evicts nothing that is still valid when many keys fill it", () => {
    const { remember } = setUp({ capacity: 10, capacityOfKey: 2 });
    for (let key = 0; key < 10; key += 1) expect(remember("a", minute, `${key}`)).toBe("first");
    expect(remember("a", minute, "one more")).toBe("full");
    for (let key = 0; key < 10; key += 1) expect(remember("a", minute, `${key}`)).toBe("seen");
  });

  it("gives each proof once, however the clock steps, and holds no more than it may", () => {
    const step = fc.record({
      proof: fc.integer({ min: 0, max: 40 }),
      key: fc.constantFrom("a", "b", "c"),
      clock: fc.integer({ min: -300, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { at, remember } = setUp({ capacity: 8, capacityOfKey: 4 });
        const given = new Map<string, { readonly expiresAt: number; readonly key: string }>();
        let latest = Number.NEGATIVE_INFINITY;
        for (const { proof, key, clock } of steps) {
          at(clock * 1000);
          latest = Math.max(latest, clock * 1000);
          const expiresAt = proof * 10_000;
          const id = `${key}-${proof}`;
          const answer = remember(id, expiresAt, key);
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
