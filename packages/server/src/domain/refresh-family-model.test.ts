import fc from "fast-check";
import { expect, it } from "vitest";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createFamilyModel, type FamilyRequest } from "../testing/models/refresh-family.js";
import { runFamilyModel } from "../testing/models/run-refresh-family-model.js";

it("DECISIONS section 9: the rules follow the model of the refresh family over any history of calls, settings and time", async () => {
  const reached = await runFamilyModel(() => ({ storage: createMemoryStorage(), clock: fakeClock() }), 400);
  // Guards against a property that passes because it never reaches these results.
  const reasons = ["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_REUSED", "PROOF_KEY_REQUIRED", "OAUTH_CLIENT_DISABLED"];
  const results = ["PRINCIPAL_DISABLED", "SCOPES_NOT_GRANTED", "the same tokens", "another access token", "new tokens"];
  for (const each of [...reasons, ...results]) expect(reached.get(each), each).toBeGreaterThan(5);
});

it("by the model, a client that is alone never loses its session, whatever answers it loses", () => {
  const model = createFamilyModel(false);
  const step = fc.record({ use: fc.boolean(), lost: fc.boolean() });
  const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    let state = model.step(model.initial, { kind: "start" }, { ok: true, token: "1" }) ?? expect.unreachable();
    let known = 1;
    for (const { use, lost } of steps) {
      const token = `${known}`;
      const request: FamilyRequest = use
        ? { kind: "use", access: "any", issuedWith: token }
        : { kind: "refresh", token };
      expect(model.step(state, request, { ok: false, reason: "any" })).toBeUndefined();
      const result = use ? ({ ok: true } as const) : ({ ok: true, token: `${known + 1}` } as const);
      state = model.step(state, request, result) ?? expect.unreachable();
      if (!use && !lost) known += 1;
    }
  });
  fc.assert(property);
});
