import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.js";
import { createProofReplayMemory } from "./broker-replay-memory.js";

describe("the memory of used proofs (RFC 9449 section 11.1)", () => {
  it("knows a proof again until it expires", () => {
    const clock = fakeClock();
    const memory = createProofReplayMemory({ clock });
    const expiresAt = clock.now() + 60_000;
    expect(memory.remember("a", expiresAt)).toBe("first");
    expect(memory.remember("b", expiresAt)).toBe("first");
    clock.advance(60_000);
    expect(memory.remember("a", expiresAt)).toBe("seen");
  });

  it("makes room once proofs have expired, and never before", () => {
    const clock = fakeClock();
    const memory = createProofReplayMemory({ clock, capacity: 2 });
    const expiresAt = clock.now() + 60_000;
    memory.remember("a", expiresAt);
    memory.remember("b", expiresAt + 10_000);
    clock.advance(60_000);
    expect(memory.remember("c", expiresAt + 60_000)).toBe("full");
    expect(memory.remember("a", expiresAt)).toBe("seen");
    clock.advance(1_000);
    expect(memory.remember("c", expiresAt + 60_000)).toBe("first");
    expect(memory.remember("d", expiresAt + 60_000)).toBe("full");
    expect(memory.remember("b", expiresAt + 10_000)).toBe("seen");
  });

  it("gives each live proof once, whatever comes in between, and holds no more than it may", () => {
    const step = fc.record({ id: fc.integer({ min: 0, max: 20 }), life: fc.nat(5_000), wait: fc.nat(2_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const clock = fakeClock();
        const capacity = 8;
        const memory = createProofReplayMemory({ clock, capacity });
        const live = new Map<number, number>();
        for (const { id, life, wait } of steps) {
          const expiresAt = clock.now() + life;
          const answer = memory.remember(`${id}`, expiresAt);
          for (const [known, until] of live) if (until < clock.now()) live.delete(known);
          if (live.has(id)) expect(answer).toBe("seen");
          if (answer === "first") live.set(id, expiresAt);
          expect(live.size).toBeLessThanOrEqual(capacity);
          clock.advance(wait);
        }
      }),
    );
  });
});
