import fc from "fast-check";
import { expect } from "vitest";
import {
  type DeviceCall,
  deleteOperation,
  deleteScope,
  exchangeOperation,
  exchangeScope,
  otherScope,
} from "../cases/device-case.js";
import { type DeviceAnswer, type DeviceDriver, findAuthorizationOf, isRevoked } from "../cases/run-device-cases.js";
import {
  type AuthorizationRequest,
  type AuthorizationResult,
  createAuthorizationModel,
} from "./device-authorization.js";

const requested = [deleteScope, exchangeScope];

const exchange = fc.record({
  operation: fc.constant("Exchange" as const),
  by: fc.constantFrom(
    ...Array.from({ length: 12 }, () => undefined),
    "another principal" as const,
    "another principal" as const,
    "another client" as const,
  ),
  key: fc.constantFrom("first" as const, "first" as const, "second" as const, undefined),
});
const answer = fc.oneof(
  fc.record({
    operation: fc.constant("Approve" as const),
    scopes: fc.oneof(fc.subarray(requested, { minLength: 1 }), fc.subarray([...requested, otherScope])),
  }),
  fc.record({ operation: fc.constantFrom("Deny" as const, ...Array.from({ length: 4 }, () => "Get" as const)) }),
);
const settings = fc.record({
  active: fc.constantFrom(true, true, true, false),
  enabled: fc.constantFrom(true, true, true, false),
  allowedOperations: fc.constantFrom(
    [deleteOperation, exchangeOperation],
    [deleteOperation, exchangeOperation],
    [exchangeOperation],
  ),
});
const command = fc.oneof(
  { weight: 10, arbitrary: exchange },
  { weight: 5, arbitrary: answer },
  { weight: 2, arbitrary: settings },
);

/** Commands that are made in one turn of the event loop, after some time. */
const group = fc.record({
  ms: fc.constantFrom(0, 1, 250, 4_499, 4_500, 9_000, 54_000, 60_000, 200_000, 600_000),
  commands: fc.array(command, { maxLength: 6 }),
});

/**
 * Makes random calls, and expects every result to be the one that the model has at that moment: calls take effect in the order in
 * which they were made.
 *
 * @returns how often each kind of result was seen
 */
export async function runDeviceAuthorizationModel(
  open: () => DeviceDriver,
  numRuns: number,
): Promise<ReadonlyMap<string, number>> {
  const reached = new Map<string, number>();
  const count = (what: string) => reached.set(what, (reached.get(what) ?? 0) + 1);
  const property = fc.asyncProperty(fc.array(group, { minLength: 3, maxLength: 12, size: "max" }), async (groups) => {
    const driver = open();
    const { clock } = driver;
    const everything = { approverActive: true, allowedOperations: [deleteOperation, exchangeOperation], enabled: true };
    await driver.setUp(everything);
    const codes = await driver.start(requested, "");
    const model = createAuthorizationModel(false, { at: clock.now(), scopes: requested });
    let state = model.initial;
    for (const { ms, commands } of groups) {
      clock.advance(ms);
      const at = clock.now();
      const begun = commands.map((each) => {
        if ("operation" in each) return { request: requestOf(each, at), ended: driver.call(codes, each) };
        const { active: approverActive, enabled, allowedOperations } = each;
        const scopes = allowedOperations.map((name) => (name === deleteOperation ? deleteScope : exchangeScope));
        const request = { kind: "settings", approverActive, allowed: enabled ? scopes : [] } as const;
        return { request, ended: driver.setUp({ approverActive, enabled, allowedOperations }) };
      });
      const answers = await Promise.all(begun.map(({ ended }) => ended));
      for (const [index, { request }] of begun.entries()) {
        const given = answers[index];
        const result = typeof given === "object" ? resultOf(given) : undefined;
        const next = model.step(state, request, result);
        if (next === undefined)
          throw new Error(`${JSON.stringify(request)} of ${model.keyOf(state)} returned ${JSON.stringify(result)}.`);
        if (result !== undefined) count(nameOf(request.kind, result, next.kind !== state.kind));
        state = next;
      }
      const stored = await findAuthorizationOf(driver, codes);
      expect(stored).toMatchObject({ state: state.kind, intervalSeconds: state.intervalSeconds });
      expect(await isRevoked(driver, stored)).toBe(state.consumption?.revoked ?? false);
    }
  });
  await fc.assert(property, { numRuns });
  return reached;
}

function nameOf(kind: string, result: AuthorizationResult, changed: boolean): string {
  if (!result.ok) return result.reason;
  return `${kind}: ${kind === "exchange" && result.status === "approved" && !changed ? "replayed" : result.status}`;
}

function requestOf(call: Exclude<DeviceCall, { operation: "Start" }>, at: number): AuthorizationRequest {
  switch (call.operation) {
    case "Exchange":
    case "Redeem": {
      const own = call.by !== "another client" && call.by !== "another tenant";
      return { kind: "exchange", own, at, by: call.by ?? "", ...(call.key && { key: call.key }) };
    }
    case "Approve":
    case "Get":
    case "Deny":
      return call.operation === "Approve"
        ? { kind: "approve", scopes: call.scopes ?? requested, at }
        : { kind: call.operation === "Deny" ? "deny" : "look", at };
  }
}

function resultOf(answer: DeviceAnswer): AuthorizationResult {
  if ("reason" in answer) return { ok: false, reason: answer.reason };
  if ("answered" in answer) return { ok: true, status: answer.answered };
  if ("shown" in answer) return { ok: true, status: answer.shown };
  if ("started" in answer) return { ok: true, status: "started" };
  return { ok: true, ...answer };
}
