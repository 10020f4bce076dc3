import fc from "fast-check";
import { expect, it } from "vitest";
import type { TokenRequest } from "../options/token.js";
import { createFakeClock } from "../testing/fake-clock.js";
import { createTokenSource } from "./token-source.js";

const timeoutMs = 15_000;

/** What a provider does when it is calls. Few tokens, so that they come again; some have ended when they come. */
const answer = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ token: fc.constantFrom("a", "b", "c"), life: fc.integer({ min: -60, max: 900 }) }),
  },
  { weight: 1, arbitrary: fc.constant("fails" as const) },
  { weight: 1, arbitrary: fc.constant("hangs" as const) },
  { weight: 1, arbitrary: fc.record({ token: fc.constantFrom("a", "b", "c"), late: fc.constant(true) }) },
);

/** What calls and time do. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant("get" as const) },
  { weight: 2, arbitrary: fc.constantFrom("reject", "accept") },
  { weight: 2, arbitrary: fc.integer({ min: -5_000, max: 1_000_000 }) },
);

const settle = () => new Promise((resolve) => setImmediate(resolve));

it("a call gets a token or an error in time, whatever the provider and the server do, and the provider has one call at a time", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { maxLength: 6 }),
      fc.array(step, { minLength: 10, maxLength: 40 }),
      async (answers, steps) => {
        const clock = createFakeClock();
        let calls = 0;
        let underWay = 0;
        let most = 0;
        const provider = async ({ signal }: TokenRequest) => {
          // In the end it has one token and no other; one that is calls without end is let go.
          const given = calls > 100 ? "hangs" : (answers[calls] ?? { token: "a", life: 900 });
          calls += 1;
          underWay += 1;
          most = Math.max(most, underWay);
          const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
          ended.then(() => {
            underWay -= 1;
          });
          const answered = () => {
            if (!signal.aborted) underWay -= 1;
          };
          if (given === "hangs") return await new Promise<string>(() => undefined);
          if (given === "fails") {
            answered();
            throw new RangeError("no");
          }
          if ("late" in given) {
            await ended;
            return given.token;
          }
          answered();
          return { accessToken: given.token, expiresAt: new Date(clock.now() + given.life * 1_000) };
        };
        const { get, reject, accept } = createTokenSource(provider, { timeoutMs, clock, notify: () => undefined });
        let last = "none";
        for (const one of steps) {
          if (one === "reject") reject(last);
          else if (one === "accept") accept();
          else if (one === "get") {
            const before = calls;
            let settled: string | undefined;
            const got = Promise.all(
              [get({ info: { requestId: "request-1" } }), get({ info: { requestId: "request-1" } })].map((token) =>
                token.then(
                  (text) => {
                    settled = "token";
                    last = text;
                  },
                  () => {
                    settled = "error";
                  },
                ),
              ),
            );
            for (let turn = 0; turn < 4 && settled === undefined; turn += 1) {
              await settle();
              if (settled === undefined) clock.pass(timeoutMs);
            }
            await settle();
            expect(settled).toBeDefined();
            await got;
            seen.add(settled ?? "");
            expect(calls - before).toBeLessThanOrEqual(3);
            expect(most).toBeLessThanOrEqual(1);
          } else {
            clock.pass(one);
            await settle();
          }
        }
      },
    ),
    { numRuns: 500 },
  );
  expect(seen).toEqual(new Set(["token", "error"]));
});
