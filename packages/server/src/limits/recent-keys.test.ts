import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecentKeys } from "./recent-keys.js";

const sets = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 200 });

describe("recent keys", () => {
  it("stores at most maxKeys keys, each with its last value", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), sets, (maxKeys, keys) => {
        const recent = createRecentKeys<number>(maxKeys);
        const last = new Map<string, number>();
        for (const [index, key] of keys.entries()) {
          recent.set(`${key}`, index);
          last.set(`${key}`, index);
          const known = [...last].filter(([name]) => recent.get(name) !== undefined);
          expect(known.length).toBeLessThanOrEqual(maxKeys);
          for (const [name, value] of known) expect(recent.get(name)).toBe(value);
        }
      }),
    );
  });

  it("keeps a key until at least half of maxKeys other keys were set after it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), sets, (maxKeys, keys) => {
        const recent = createRecentKeys<number>(maxKeys);
        for (const [index, key] of keys.entries()) {
          recent.set(`${key}`, index);
          const after = new Set<number>();
          for (const other of keys.slice(0, index + 1).reverse()) {
            after.add(other);
            if (after.size > Math.ceil(maxKeys / 2)) break;
            expect(recent.get(`${other}`)).toBeDefined();
          }
        }
      }),
    );
  });
});
