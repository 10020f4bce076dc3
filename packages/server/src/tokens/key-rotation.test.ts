import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  currentKey,
  dueKey,
  type KeySpan,
  keptAfterwards,
  publishedAhead,
  publishedKeys,
  signingPeriod,
} from "./key-rotation.js";

const minute = 60_000;
const day = 24 * 60 * minute;

/** Runs a key ring over some steps, with a tick at some of them, and returns its keys after each step. */
function run(steps: readonly { readonly wait: number; readonly tick: boolean }[]) {
  let keys: KeySpan[] = [];
  let at = Date.UTC(2026, 0, 1);
  const seen: { readonly at: number; readonly current: KeySpan | undefined; readonly published: KeySpan[] }[] = [];
  for (const { wait, tick } of [{ wait: 0, tick: true }, ...steps]) {
    at += wait;
    if (tick) {
      const due = dueKey(keys, at);
      keys = publishedKeys(due === undefined ? keys : [...keys, due], at);
    }
    seen.push({ at, current: currentKey(keys, at), published: publishedKeys(keys, at) });
  }
  return seen;
}

const wait = fc.oneof(
  fc.integer({ min: 0, max: 20 * minute }),
  fc.integer({ min: 0, max: 2 * 60 * minute }),
  fc.integer({ min: 0, max: 40 * day }),
  fc.constantFrom(publishedAhead, keptAfterwards, signingPeriod, signingPeriod - publishedAhead),
);
const runs = fc.array(fc.record({ wait, tick: fc.boolean() }), { maxLength: 60 }).map(run);

describe("key rotation (DECISIONS 5)", () => {
  it("has exactly one signing key at any time, which is published", () => {
    fc.assert(
      fc.property(runs, (seen) => {
        for (const { current, published } of seen) {
          expect(current).toBeDefined();
          expect(published.filter((key) => key === current)).toHaveLength(1);
        }
      }),
    );
  });

  it("publishes a key until its last token has expired: an hour, plus five minutes to commit", () => {
    fc.assert(
      fc.property(runs, (seen) => {
        for (const [index, { at, current }] of seen.entries()) {
          const later = seen.slice(index).filter((other) => other.at < at + keptAfterwards);
          for (const { published } of later) expect(published).toContain(current);
        }
      }),
    );
    expect(keptAfterwards).toBe(65 * minute);
  });

  it("publishes every key but the first an hour before its use", () => {
    fc.assert(
      fc.property(runs, (seen) => {
        const [first] = seen;
        for (const { at, current } of seen) {
          if (current === undefined || current === first?.current) continue;
          const published = seen.find((other) => other.published.includes(current));
          expect(at - (published?.at ?? at)).toBeGreaterThanOrEqual(publishedAhead);
        }
      }),
    );
    expect(publishedAhead).toBe(60 * minute);
  });

  it("rotates every 30 days when tick is called regularly, and removes old keys", () => {
    const seen = run(Array.from({ length: 120 * 24 * 4 }, () => ({ wait: 15 * minute, tick: true })));
    const starts = new Set(seen.map(({ current }) => current?.signsFrom));
    const [first = 0] = starts;
    expect([...starts]).toEqual([0, 30, 60, 90, 120].map((days) => first + days * day));
    expect(Math.max(...seen.map(({ published }) => published.length))).toBe(2);
    expect(seen.filter(({ published }) => published.length === 1).length).toBeGreaterThan(100 * 24 * 4);
  });

  it("signs with the first key before its time, when the clock stepped back", () => {
    const keys = [
      { createdAt: 0, signsFrom: 100 },
      { createdAt: 0, signsFrom: 200 },
    ];
    expect(currentKey(keys, 50)).toBe(keys[0]);
    expect(currentKey(keys, 199)).toBe(keys[0]);
    expect(currentKey(keys, 200)).toBe(keys[1]);
    expect(currentKey([], 0)).toBeUndefined();
  });
});
