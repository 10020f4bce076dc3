import type { DatabaseSync } from "node:sqlite";
import { createAuditSeals } from "./audit-seals.js";
import { createAuditTrail } from "./audit-trail.js";
import { createBacklog } from "./backlog.js";
import { createChangePages } from "./change-pages.js";
import { createChanges } from "./changes.js";
import { createClockRecord } from "./clock-record.js";
import { createDeviceAuthorizations } from "./device-authorizations.js";
import { createGrants } from "./grants.js";
import { createItems } from "./items.js";
import { createKeysRecord } from "./keys-record.js";
import { createOauthClients } from "./oauth-clients.js";
import { createPrincipals } from "./principals.js";
import { createRecords } from "./records.js";
import { createVaults } from "./vaults.js";

/** All tables of a database, with their statements prepared once. */
export function createTables(database: DatabaseSync) {
  const changes = createChanges(database);
  return {
    auditSeals: createAuditSeals(database),
    auditTrail: createAuditTrail(database),
    backlog: createBacklog(database),
    changePages: createChangePages(database, changes),
    changes,
    clockRecord: createClockRecord(database),
    deviceAuthorizations: createDeviceAuthorizations(database),
    grants: createGrants(database),
    items: createItems(database),
    keysRecord: createKeysRecord(database),
    oauthClients: createOauthClients(database),
    principals: createPrincipals(database),
    records: createRecords(database),
    vaults: createVaults(database),
  };
}

export type Tables = ReturnType<typeof createTables>;
