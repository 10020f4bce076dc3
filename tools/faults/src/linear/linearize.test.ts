import type { Call } from "@platform-rpc/server/testing";
import { createItemModel, type ItemRequest, type ItemResult } from "@platform-rpc/server/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findViolation } from "./linearize.ts";
import { someOrderExplains } from "./testing/every-order.ts";
import { createSerialItem } from "./testing/serial-item.ts";

type ItemCall = Call<ItemRequest, ItemResult>;

const model = createItemModel(30);
const violates = (calls: readonly ItemCall[]) => findViolation(model, calls) !== undefined;

const smallVersion = fc.integer({ min: 0, max: 3 });
const request: fc.Arbitrary<ItemRequest> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<ItemRequest>({ kind: "get" }) },
  fc.record({ kind: fc.constantFrom("delete" as const, "restore" as const), baseVersion: smallVersion }),
  fc.record({ kind: fc.constant("put" as const), baseVersion: smallVersion, content: fc.constantFrom("a", "b") }),
);

/** What the generator draws for a call. */
interface Draw {
  readonly request: ItemRequest;
  /** How long before and after its effect the call begins and ends. */
  readonly before: number;
  readonly after: number;
  readonly fate: "answered" | "lost" | "lost before its effect";
}

const draw: fc.Arbitrary<Draw> = fc.record({
  request,
  before: fc.nat(40),
  after: fc.nat(40),
  fate: fc.constantFrom(
    "answered" as const,
    "answered" as const,
    "answered" as const,
    "lost" as const,
    "lost before its effect" as const,
  ),
});

/** The time between two effects. Calls overlap up to eight others. */
const step = 10;

/** Replaces base versions by ones that are right half of the time, so that items have long histories. */
function sensible(drawn: ItemRequest, version: number): ItemRequest {
  if (drawn.kind === "get" || drawn.baseVersion < 2) return drawn;
  return { ...drawn, baseVersion: version };
}

/** Makes the calls one after the other, and lets them overlap around their effects. Ends with a read. */
function run(draws: readonly Draw[], item = createSerialItem()): ItemCall[] {
  let version = 0;
  const calls = draws.map(({ request, before, after, fate }, index): ItemCall => {
    const made = sensible(request, version);
    const result = fate === "lost before its effect" ? undefined : item(made);
    if (result?.ok) version = result.version;
    const at = index * step;
    const seen = fate === "answered" ? result : undefined;
    return { request: made, result: seen, begunAt: at - before, endedAt: at + after };
  });
  return [...calls, finalRead(item, draws.length)];
}

function finalRead(item: (request: ItemRequest) => ItemResult, length: number): ItemCall {
  const begunAt = (length + 100) * step;
  return { request: { kind: "get" }, result: item({ kind: "get" }), begunAt, endedAt: begunAt + 1 };
}

/** Generates histories of one item and the index of an acknowledged change in each. */
const withChange = fc
  .array(draw, { minLength: 3, maxLength: 40 })
  .map((draws) => run(draws))
  .map((calls) => ({
    calls,
    changes: calls.flatMap(({ request, result }, at) =>
      request.kind !== "get" && result?.ok && result.version === request.baseVersion + 1 ? [at] : [],
    ),
  }));

describe("the check for linearizability", () => {
  it("accepts calls that took effect one after the other, however they overlap and whatever was lost", () => {
    fc.assert(
      fc.property(fc.array(draw, { maxLength: 60 }), (draws) => !violates(run(draws))),
      { numRuns: 500 },
    );
  });

  it("agrees with trying every order, on calls with any results", () => {
    const view = { version: fc.constantFrom(1, 2), deleted: fc.boolean(), sequence: fc.constantFrom(1, 2) };
    const result: fc.Arbitrary<ItemResult | undefined> = fc.oneof(
      fc.record({ ok: fc.constant(true as const), content: fc.constantFrom("a", "b"), ...view }),
      fc.record({ ok: fc.constant(false as const), reason: fc.constant("VERSION_CONFLICT" as const), ...view }),
      fc.constant<ItemResult>({ ok: false, reason: "ITEM_NOT_FOUND" }),
      fc.constant(undefined),
    );
    const call = fc
      .record({ request, result, begunAt: fc.nat(12), length: fc.nat(8) })
      .map(({ length, ...rest }) => ({ ...rest, endedAt: rest.begunAt + length }));
    const agrees = (calls: readonly ItemCall[]) => violates(calls) === !someOrderExplains(model, calls);
    fc.assert(fc.property(fc.array(call, { maxLength: 4 }), agrees), { numRuns: 3000 });
    // Histories that are valid but for one result reach deeper states than arbitrary ones.
    const almost = fc.tuple(fc.array(draw, { minLength: 1, maxLength: 5 }), fc.nat(5), result);
    const agreesOnAlmost = fc.property(almost, ([draws, at, changed]) => {
      const calls = run(draws).map((each, index) => (index === at ? { ...each, result: changed } : each));
      return agrees(calls);
    });
    fc.assert(agreesOnAlmost, { numRuns: 3000 });
  });

  it.each<[string, (calls: readonly ItemCall[], change: number) => ItemCall[]]>([
    [
      "a lost update: a later read shows the version before an acknowledged change",
      (calls, change) => [...calls, later(calls, previousOf(calls[change]))],
    ],
    [
      "an effect twice: two calls with different sequences made the same version",
      (calls, change) => [...calls, later(calls, doubled(calls[change]))],
    ],
    [
      "content that nobody has put",
      (calls, change) => [...calls, later(calls, { ...okOf(calls[change]), content: "other" })],
    ],
    [
      "a version that nobody has made",
      (calls, change) => [...calls, later(calls, { ...okOf(calls[change]), version: 1000 })],
    ],
    [
      "an acknowledged change that did not happen",
      (calls, change) => calls.map((call, at) => (at === change ? { ...call, result: previousOf(call) } : call)),
    ],
  ])("rejects %s", (_, mutate) => {
    fc.assert(
      fc.property(withChange, fc.nat(), ({ calls, changes }, pick) => {
        fc.pre(changes.length > 0);
        return violates(mutate(calls, changes[pick % changes.length] ?? 0));
      }),
      { numRuns: 300 },
    );
  });

  it("rejects a stale read: it began after the end of the change that it does not show", () => {
    const put = (baseVersion: number, content: string, at: number): ItemCall => ({
      request: { kind: "put", baseVersion, content },
      result: { ok: true, version: baseVersion + 1, deleted: false, content, sequence: baseVersion + 1 },
      begunAt: at,
      endedAt: at + 10,
    });
    const first = put(0, "a", 0);
    const second = put(1, "b", 20);
    const read = (begunAt: number): ItemCall => ({
      request: { kind: "get" },
      result: first.result,
      begunAt,
      endedAt: 50,
    });
    expect(violates([first, second, read(29)])).toBe(false);
    expect(findViolation(model, [first, second, read(31)])).toMatchObject({
      call: { begunAt: 31 },
      states: [{ version: 2, content: "b", sequence: 2 }],
    });
  });

  it("stays fast when many calls were lost", () => {
    const lost = (index: number): ItemCall => ({
      request: { kind: "put", baseVersion: index % 50, content: `${index}` },
      result: undefined,
      begunAt: index,
      endedAt: Number.POSITIVE_INFINITY,
    });
    const item = createSerialItem();
    const answered = Array.from({ length: 500 }, (_, index): ItemCall => {
      const made: ItemRequest = { kind: "put", baseVersion: index, content: `own ${index}` };
      return { request: made, result: item(made), begunAt: 1000 + index * 10, endedAt: 1009 + index * 10 };
    });
    expect(violates([...Array.from({ length: 1000 }, (_, index) => lost(index)), ...answered])).toBe(false);
  });
});

function okOf(call: ItemCall | undefined): Extract<ItemResult, { ok: true }> {
  if (call?.result?.ok !== true) throw new Error("the call was not acknowledged");
  return call.result;
}

function previousOf(call: ItemCall | undefined): ItemResult {
  const { version, sequence, deleted, ...rest } = okOf(call);
  if (version === 1) return { ok: false, reason: "ITEM_NOT_FOUND" };
  return { ...rest, version: version - 1, sequence: sequence - 1, deleted };
}

function doubled(call: ItemCall | undefined): ItemResult {
  const result = okOf(call);
  return { ...result, sequence: result.sequence + 1 };
}

function later(calls: readonly ItemCall[], result: ItemResult): ItemCall {
  const begunAt = Math.max(...calls.map(({ endedAt }) => endedAt)) + 1;
  return { request: { kind: "get" }, result, begunAt, endedAt: begunAt + 1 };
}
