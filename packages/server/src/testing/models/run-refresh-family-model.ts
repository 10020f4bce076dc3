import fc from "fast-check";
import { expect } from "vitest";
import type { RotateOutcome } from "../../domain/rotate-refresh-token.js";
import {
  deleteOperation,
  deleteScope,
  exchangeOperation,
  exchangeScope,
  keyId,
  otherKeyId,
  otherScope,
} from "../cases/device-case.js";
import { openFamily, type RevokedBy } from "../cases/family-driver.js";
import type { DeviceDriver } from "../cases/run-device-cases.js";
import type { FakeClock } from "../fake-clock.js";
import { createFamilyModel, type FamilyRequest, type FamilyResult, type FamilySettings } from "./refresh-family.js";

const refresh = fc.record({
  do: fc.constant("refresh" as const),
  /** 0: the newest refresh token, 1: the one before it, and so on. */
  age: fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 2, 2, 5),
  by: fc.constantFrom(...Array.from({ length: 40 }, () => undefined), "another client" as const),
  proof: fc.constantFrom("", keyId, keyId, keyId, otherKeyId),
  scopes: fc.constantFrom(undefined, undefined, undefined, [deleteScope], [exchangeScope, deleteScope], [otherScope]),
});
const use = fc.record({ do: fc.constant("use" as const), age: fc.constantFrom(0, 0, 0, 1) });
const revoke = fc.record({
  do: fc.constant("revoke" as const),
  revoke: fc.constantFrom<RevokedBy>("its OAuth client", "its principal"),
  by: fc.constantFrom(undefined, "another" as const),
});
const settings = fc.record({
  do: fc.constant("settings" as const),
  active: fc.constantFrom(true, true, true, false),
  enabled: fc.constantFrom(true, true, true, false),
  allowed: fc.constantFrom(
    [deleteOperation, exchangeOperation],
    [deleteOperation, exchangeOperation],
    [exchangeOperation],
    [],
  ),
});
const command = fc.oneof(
  { weight: 12, arbitrary: refresh },
  { weight: 3, arbitrary: use },
  { weight: 1, arbitrary: revoke },
  { weight: 2, arbitrary: settings },
);

/** Commands that are made in one turn of the event loop, after some time. */
const group = fc.record({
  ms: fc.constantFrom(0, 0, 0, 1, 1, 29_999, 30_000, 60_000, 900_000, 518_400_000),
  commands: fc.array(command, { minLength: 1, maxLength: 3 }),
});

/**
 * Makes random calls, and expects every result to be the one that the model has at that moment: calls take effect in the order in
 * which they were made.
 *
 * @returns how often each kind of result was seen
 */
export async function runFamilyModel(
  open: () => { readonly storage: DeviceDriver["storage"]; readonly clock: FakeClock },
  numRuns: number,
): Promise<ReadonlyMap<string, number>> {
  const reached = new Map<string, number>();
  const count = (what: string) => reached.set(what, (reached.get(what) ?? 0) + 1);
  const histories = fc.array(group, { minLength: 5, maxLength: 30, size: "max" });
  const property = fc.asyncProperty(fc.constantFrom("", keyId), histories, async (popKeyId, groups) => {
    const { storage, clock } = open();
    const family = await openFamily(storage, clock, popKeyId);
    const start = { access: family.familyId, scopes: family.scopes, popKeyId, expiresAt: clock.now() + 900_000 };
    const model = createFamilyModel(false, { ...start, at: clock.now(), token: "1" });
    let state = model.initial;
    for (const { ms, commands } of groups) {
      clock.advance(ms);
      const at = clock.now();
      const tokenOf = (age: number) => Math.max(1, Number(state.newest) - age);
      const begun = commands.map((each) => begin(family, each, tokenOf, at));
      const results = await Promise.all(begun.map(({ ended }) => ended));
      for (const [index, { request }] of begun.entries()) {
        const result = results[index];
        const next = model.step(state, request, result);
        if (next === undefined)
          throw new Error(`${JSON.stringify(request)} of ${model.keyOf(state)} returned ${JSON.stringify(result)}.`);
        if (request.kind === "refresh" && result !== undefined) {
          const repeated = next.issued === state.issued ? "the same tokens" : "another access token";
          count(!result.ok ? result.reason : next.newest === state.newest ? repeated : "new tokens");
        }
        state = next;
      }
      const valid = family.issued.filter(({ expiresAt }) => at < expiresAt * 1000);
      const revoked = await Promise.all(valid.map(family.isRevoked));
      // The newest one is the last to be revoked as one too many.
      expect(revoked.at(-1) ?? state.revoked).toBe(state.revoked);
      if (state.revoked) expect(revoked).not.toContain(false);
    }
  });
  await fc.assert(property, { numRuns });
  return reached;
}

type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

interface Begun {
  readonly request: FamilyRequest | FamilySettings;
  readonly ended: Promise<FamilyResult | undefined>;
}

function begin(
  family: Awaited<ReturnType<typeof openFamily>>,
  each: Command,
  tokenOf: (age: number) => number,
  at: number,
): Begun {
  switch (each.do) {
    case "refresh": {
      const { age, by, proof, scopes } = each;
      const token = tokenOf(age);
      const request = { kind: "refresh", token: `${token}`, own: by === undefined, proof, scopes, at } as const;
      return { request, ended: family.send({ refresh: token, by, proof, scopes }).then(resultOf) };
    }
    case "use": {
      const token = tokenOf(each.age);
      const ended = family.recordUse(token).then(() => ({ ok: true }) as const);
      return { request: { kind: "use", access: "any", issuedWith: `${token}` }, ended };
    }
    case "revoke": {
      const other = each.revoke === "its principal" ? "another person" : "another client";
      const by = each.by === "another" ? other : each.by;
      const ended = family.revoke({ revoke: each.revoke, by }).then((ok) => (ok ? { ok } : { ok, reason: "" }));
      return { request: { kind: "revoke", own: by === undefined, at }, ended };
    }
    case "settings": {
      const { active, enabled, allowed: operations } = each;
      const allowed = operations.map((name) => (name === deleteOperation ? deleteScope : exchangeScope));
      const request = { kind: "settings", principalActive: active, clientEnabled: enabled, allowed } as const;
      return { request, ended: family.setUp(operations, enabled, active).then(() => undefined) };
    }
  }
}

function resultOf(outcome: RotateOutcome): FamilyResult {
  if (!outcome.ok) return outcome;
  const { grant, generation } = outcome;
  const { grantId: access, scopes, popKeyId, expiresAt } = grant;
  return { ok: true, token: `${generation}`, issued: { access, scopes, popKeyId, expiresAt: expiresAt * 1000 } };
}
