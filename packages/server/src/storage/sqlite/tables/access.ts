import type { DatabaseSync } from "node:sqlite";
import type { Principal, RegisteredOauthClient } from "../../../domain/access.js";
import { flag, integer, type Row, strings, text } from "../database/columns.js";

/** OAuth clients and their allowed operations. */
export function createOauthClients(database: DatabaseSync) {
  const select = database.prepare("SELECT * FROM oauth_clients WHERE tenant_id = ? AND oauth_client_id = ?");
  // Who registered an OAuth client, and when, never changes.
  const upsert = database.prepare(`
    INSERT INTO oauth_clients (tenant_id, oauth_client_id, name, allowed_operations, enabled, redirect_uris, grant_types,
      require_pushed_authorization_requests, registered_at, registered_by)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      name = excluded.name, allowed_operations = excluded.allowed_operations, enabled = excluded.enabled,
      redirect_uris = excluded.redirect_uris, grant_types = excluded.grant_types,
      require_pushed_authorization_requests = excluded.require_pushed_authorization_requests`);

  return {
    find(tenantId: string, oauthClientId: string): RegisteredOauthClient | undefined {
      const row = select.get(tenantId, oauthClientId);
      return row && toOauthClient(row);
    },

    save(oauthClient: RegisteredOauthClient): void {
      upsert.run(
        oauthClient.tenantId,
        oauthClient.oauthClientId,
        oauthClient.name,
        JSON.stringify(oauthClient.allowedOperations),
        Number(oauthClient.enabled),
        JSON.stringify(oauthClient.redirectUris),
        JSON.stringify(oauthClient.grantTypes),
        Number(oauthClient.requirePushedAuthorizationRequests),
        oauthClient.registeredAt,
        oauthClient.registeredBy,
      );
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
    redirectUris: strings(row, "redirect_uris"),
    grantTypes: strings(row, "grant_types"),
    requirePushedAuthorizationRequests: flag(row, "require_pushed_authorization_requests"),
    registeredAt: integer(row, "registered_at"),
    registeredBy: text(row, "registered_by"),
  };
}

/** Principals and whether they are active. */
export function createPrincipals(database: DatabaseSync) {
  const select = database.prepare("SELECT active FROM principals WHERE tenant_id = ? AND principal_id = ?");
  const upsert = database.prepare(`
    INSERT INTO principals (tenant_id, principal_id, active) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET active = excluded.active`);

  return {
    /** Returns whether a principal is active. An unknown principal is not. */
    active(tenantId: string, principalId: string): boolean {
      const row = select.get(tenantId, principalId);
      return row !== undefined && flag(row, "active");
    },

    save({ tenantId, principalId, active }: Principal): void {
      upsert.run(tenantId, principalId, Number(active));
    },
  };
}
