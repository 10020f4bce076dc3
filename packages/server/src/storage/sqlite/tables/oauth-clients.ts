import type { DatabaseSync } from "node:sqlite";
import type { OauthClient } from "../../../domain/access.js";
import { flag, type Row, strings, text } from "../columns.js";

/** OAuth clients and their allowed operations. */
export function createOauthClients(database: DatabaseSync) {
  const select = database.prepare("SELECT * FROM oauth_clients WHERE tenant_id = ? AND oauth_client_id = ?");
  const upsert = database.prepare(`
    INSERT INTO oauth_clients (tenant_id, oauth_client_id, name, allowed_operations, enabled) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      name = excluded.name, allowed_operations = excluded.allowed_operations, enabled = excluded.enabled`);

  return {
    find(tenantId: string, oauthClientId: string): OauthClient | undefined {
      const row = select.get(tenantId, oauthClientId);
      return row && toOauthClient(row);
    },

    save({ tenantId, oauthClientId, name, allowedOperations, enabled }: OauthClient): void {
      upsert.run(tenantId, oauthClientId, name, JSON.stringify(allowedOperations), Number(enabled));
    },
  };
}

function toOauthClient(row: Row): OauthClient {
  return {
    tenantId: text(row, "tenant_id"),
    oauthClientId: text(row, "oauth_client_id"),
    name: text(row, "name"),
    allowedOperations: strings(row, "allowed_operations"),
    enabled: flag(row, "enabled"),
  };
}
