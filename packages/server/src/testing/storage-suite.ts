import { describe } from "vitest";
import { describeAccess } from "./storage-suite/access.js";
import { describeAudit } from "./storage-suite/audit.js";
import { describeDecisions } from "./storage-suite/decisions.js";
import {
  describeAuthorizationCodes,
  describeDelegations,
  describeDeviceCasesOn,
  describeRefreshFamilies,
  describeUses,
} from "./storage-suite/grants.js";
import { createHarness, type OpenStorage } from "./storage-suite/harness.js";
import { describeHistory } from "./storage-suite/history.js";
import { describeItemCasesOn } from "./storage-suite/item-cases.js";
import { describeItems } from "./storage-suite/items.js";
import { describeLifecycle } from "./storage-suite/lifecycle.js";
import { describeMemberVaults } from "./storage-suite/member-vaults.js";
import { describeMoves } from "./storage-suite/moves.js";
import { describePurge } from "./storage-suite/purge.js";
import { describeRecords } from "./storage-suite/records.js";

/**
 * Defines the contract of the `Storage` port as vitest tests that every adapter must pass.
 *
 * The suite expects calls made in one turn of the event loop to be decided in the order in which they were made. Guarantees
 * that depend on the implementation (that bytes are erased from its files, that a commit survives `kill -9`) need
 * additional tests.
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
 * @param name the name of the adapter in the test report
 * @param open opens a new, empty storage for each test
 */
export function describeStorage(name: string, open: OpenStorage): void {
  describe(`Storage contract: ${name}`, () => {
    const harness = createHarness(open);
    describeDecisions(harness);
    describeHistory(harness);
    describeItems(harness);
    describeMoves(harness);
    describeAccess(harness);
    describeRecords(harness);
    describeRefreshFamilies(harness);
    describeAuthorizationCodes(harness);
    describeDelegations(harness);
    describeUses(harness);
    describeMemberVaults(harness);
    describePurge(harness);
    describeAudit(harness);
    describeLifecycle(harness);
    describeItemCasesOn(harness);
    describeDeviceCasesOn(harness);
  });
}
