import { expect, it } from "vitest";
import { createRulesDriver } from "../testing/cases/rules-driver.js";
import { fakeClock } from "../testing/fake-clock.js";
import { runItemModel } from "../testing/models/run-item-model.js";

it("DECISIONS section 3: the rules follow the model of the item over any history of calls, roles and time", async () => {
  const clock = fakeClock();
  const driver = createRulesDriver(clock, "member");
  const reached = await runItemModel(() => driver, { numRuns: 500, at: clock.now });
  // Guards against a property that passes because it never reaches these results.
  const all = ["changed", "unchanged", "shredded", "not shredded", "VERSION_CONFLICT", "ITEM_NOT_FOUND"];
  for (const each of [...all, "ITEM_SHREDDED", "VAULT_NOT_FOUND", "ROLE_FORBIDS_DELETE", "ROLE_FORBIDS_CHANGE"]) {
    expect(reached.get(each), each).toBeGreaterThan(10);
  }
});
