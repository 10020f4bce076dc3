import { expect, it } from "vitest";
import { delegationCases } from "../testing/cases/delegation.js";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { runDelegationCase } from "../testing/cases/run-delegation-cases.js";
import { fakeClock } from "../testing/fake-clock.js";
import { runDelegationModel } from "../testing/models/run-delegation-model.js";

it.each(delegationCases)("$title ($section)", (each) => runDelegationCase(createMemoryStorage(), fakeClock(), each));

it("DECISIONS section 9: the rules follow the model of the budget over any history of calls, changes and time", async () => {
  const reached = await runDelegationModel(() => ({ storage: createMemoryStorage(() => {}), clock: fakeClock() }), 400);
  expect([...reached.keys()].sort()).toEqual([
    "change DELEGATION_NOT_FOUND",
    "change ok",
    "delete DELEGATION_ENDED",
    "delete DELEGATION_EXHAUSTED",
    "delete VAULT_NOT_FOUND",
    "delete VERSION_CONFLICT",
    "delete ok",
    "end ",
    "end ok",
    "restore VERSION_CONFLICT",
    "restore ok",
  ]);
});
