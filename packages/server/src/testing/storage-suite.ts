import { describe } from "vitest";
import { describeAccess } from "./storage-suite/access.js";
import { describeDecisions } from "./storage-suite/decisions.js";
import { describeDeviceAuthorizationModel } from "./storage-suite/device-authorization-model.js";
import { describeDeviceAuthorizations } from "./storage-suite/device-authorizations.js";
import { createHarness, type OpenStorage } from "./storage-suite/harness.js";
import { describeHistory } from "./storage-suite/history.js";
import { describeItemModel } from "./storage-suite/item-model.js";
import { describeItems } from "./storage-suite/items.js";
import { describeLifecycle } from "./storage-suite/lifecycle.js";

/**
 * The promises of the `Storage` port, as vitest tests that any adapter must pass.
 *
 * Calls that are issued in one turn of the event loop are expected to be decided in the order in which they were issued.
 * What an adapter promises beyond this (that bytes are gone from its files, that a commit survives `kill -9`)
 * depends on what it is made of: it needs tests of its own.
 *
 * ```ts
 * describeStorage("my storage", async () => {
 *   const database = await createEmptyDatabase();
 *   return {
 *     storage: await createMyStorage(database),
 *     setSequence: (tenantId, vaultId, sequence) => database.setSequence(tenantId, vaultId, sequence),
 *     reopen: () => createMyStorage(database),
 *   };
 * });
 * ```
 *
 * @param name what the adapter is called in the test report
 * @param open opens a storage of its own, empty, for each test
 */
export function describeStorage(name: string, open: OpenStorage): void {
  describe(`Storage contract: ${name}`, () => {
    const harness = createHarness(open);
    describeDecisions(harness);
    describeHistory(harness);
    describeItems(harness);
    describeDeviceAuthorizations(harness);
    describeAccess(harness);
    describeLifecycle(harness);
    describeItemModel(harness);
    describeDeviceAuthorizationModel(harness);
  });
}
