import { it } from "vitest";
import { listChanges } from "../../services/items.js";
import { deleteItemCases } from "../cases/delete-item.js";
import { getItemCases } from "../cases/get-item.js";
import { type ListDriver, listChangesCases, runListCase } from "../cases/list-changes.js";
import { putItemCases } from "../cases/put-item.js";
import { restoreItemCases } from "../cases/restore-item.js";
import { casesFor, runItemCase } from "../cases/run-item-cases.js";
import { caseCaller, createStorageDriver } from "../cases/storage-driver.js";
import { fakeClock } from "../fake-clock.js";
import { runItemModel } from "../models/run-item-model.js";
import { type Harness, runEvery } from "./harness.js";

const forAdministrators = [
  ["RestoreItem", restoreItemCases],
  ["PutItem", putItemCases],
  ["GetItem", getItemCases],
] as const;
const groups = [
  ...[["DeleteItem", deleteItemCases] as const, ...forAdministrators].map(([operation, cases]) => ({
    operation,
    cases: casesFor(cases, { roles: "every", time: true, floors: false }),
    access: "member" as const,
  })),
  ...forAdministrators.map(([operation, cases]) => ({
    operation,
    cases: casesFor(cases, { roles: [], time: true, floors: false }),
    access: "administrator" as const,
  })),
];

/** Runs the cases of items: one test for each operation. */
export function describeItemCasesOn({ open }: Harness): void {
  it.each(groups)("every case of $operation, as $access", async ({ cases, access }) => {
    const { storage } = await open();
    const driver = createStorageDriver(storage, fakeClock(), access);
    await runEvery(cases, (each) => runItemCase(driver, each));
  });

  it.each(["member", "administrator"] as const)("every case of ListChanges, as %s", async (access) => {
    const { storage } = await open();
    const driver = createStorageDriver(storage, fakeClock(), access);
    const { tenantId, principalId } = caseCaller;
    const lister: ListDriver = {
      ...driver,
      async list(vaultId, call) {
        const reader = access === "member" ? { principalId } : {};
        const answer = await listChanges(storage, { tenantId, vaultId, ...reader, ...call });
        if (!answer.ok) return { reason: answer.reason };
        const changes = answer.items.map(({ itemId, sequence, state }) => ({
          ...{ itemId, sequence, deleted: state !== "live" },
        }));
        return { changes, cursor: answer.sequence, hasMore: answer.hasMore };
      },
    };
    const cases = listChangesCases.filter(({ given }) => access === "member" || given.role === undefined);
    await runEvery(cases, (each) => runListCase(lister, each));
  });

  it("items follow the model under random concurrent calls, in the order in which they were made", async () => {
    const { storage } = await open();
    const clock = fakeClock();
    const driver = createStorageDriver(storage, clock, "member");
    await runItemModel(() => driver, { numRuns: 30, at: clock.now });
  });
}
