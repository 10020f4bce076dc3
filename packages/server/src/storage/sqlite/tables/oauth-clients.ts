import type { DatabaseSync } from "node:sqlite";
import type { RegisteredOauthClient } from "../../../domain/access.js";
import { flag, integer, type Row, strings, text } from "../columns.js";

/** OAuth clients and their allowed operations. */
export function createOauthClients(database: DatabaseSync) {
  const select = database.prepare("SELECT * FROM oauth_clients WHERE tenant_id = ? AND oauth_client_id = ?");
  // Who registered an OAuth client, and when, never changes.
  const upsert = database.prepare(`
    INSERT INTO oauth_clients (tenant_id, oauth_client_id, name, allowed_operations, enabled, registered_at, registered_by)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      name = excluded.name, allowed_operations = excluded.allowed_operations, enabled = excluded.enabled`);

  return {
    find(tenantId: string, oauthClientId: string): RegisteredOauthClient | undefined {
      const row = select.get(tenantId, oauthClientId);
      return row && toOauthClient(row);
    },

    save(oauthClient: RegisteredOauthClient): void {
      const { tenantId, oauthClientId, name, allowedOperations, enabled, registeredAt, registeredBy } = oauthClient;
      const operations = JSON.stringify(allowedOperations);
      upsert.run(tenantId, oauthClientId, name, operations, Number(enabled), registeredAt, registeredBy);
    },
  };
}

function toOauthClient(row: Row): RegisteredOauthClient {
  return {
    tenantId: text(row, "tenant_id"),
    oauthClientId: text(row, "oauth_client_id"),
    name: text(row, "name"),
    allowedOperations: strings(row, "allowed_operations"),
    enabled: flag(row, "enabled"),
    registeredAt: integer(row, "registered_at"),
    registeredBy: text(row, "registered_by"),
  };
}
