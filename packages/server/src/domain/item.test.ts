import { expect, it } from "vitest";
import { deleteItemCases } from "../testing/cases/delete-item.js";
import { getItemCases } from "../testing/cases/get-item.js";
import { putItemCases } from "../testing/cases/put-item.js";
import { restoreItemCases } from "../testing/cases/restore-item.js";
import { createRulesDriver } from "../testing/cases/rules-driver.js";
import { describeItemCases } from "../testing/cases/run-item-cases.js";
import { fakeClock } from "../testing/fake-clock.js";
import { runItemModel } from "../testing/models/run-item-model.js";

const memberCases = [...deleteItemCases, ...putItemCases, ...restoreItemCases, ...getItemCases];
const administratorCases = [...putItemCases, ...restoreItemCases, ...getItemCases];

describeItemCases("the rules of items, for members", memberCases, { roles: "every", time: true, floors: true }, () =>
  createRulesDriver(fakeClock(), "member"),
);
describeItemCases(
  "the rules of items, for administrators",
  administratorCases,
  { roles: [], time: true, floors: true },
  () => createRulesDriver(fakeClock(), "administrator"),
);

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
