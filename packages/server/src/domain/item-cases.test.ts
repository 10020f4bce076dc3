import { deleteItemCases } from "../testing/cases/delete-item.js";
import { getItemCases } from "../testing/cases/get-item.js";
import { putItemCases } from "../testing/cases/put-item.js";
import { restoreItemCases } from "../testing/cases/restore-item.js";
import { createRulesDriver } from "../testing/cases/rules-driver.js";
import { describeItemCases } from "../testing/cases/run-item-cases.js";
import { fakeClock } from "../testing/fake-clock.js";

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
