import { integer, optional, type Row, text } from "../../sqlite/database/columns.js";
import { toRecord } from "../../sqlite/tables/records.js";
import { dataCopy } from "../unfinished-copy.js";
import { copiedContents } from "./copied-contents.js";
import { type CopiedTable, plainTable, read } from "./copied-table.js";

const { text: string, integer: number, optionalInteger, optionalText, strings, flag: boolean } = read;
const item = { tenant_id: string, vault_id: string, item_id: string };

const records = plainTable("records", {
  source: "SELECT * FROM records",
  key: ["collection", "key"],
  columns: {
    collection: string,
    key: string,
    tenant_id: string,
    principal_id: string,
    oauth_client_id: string,
    // Also compares the record with its checksum.
    value: (row) => toRecord(row).value,
    revision: number,
    created_at: number,
    expires_at: optionalInteger,
  },
});

/** Every table, in the order in which they are copied. A table of the target is in exactly one of them. */
export const copiedTables: readonly CopiedTable[] = [
  plainTable("vaults", {
    source: "SELECT * FROM vaults",
    key: ["id"],
    columns: {
      tenant_id: string,
      vault_id: string,
      retention_days: number,
      access_revision: number,
      sequence: number,
      floor: number,
    },
  }),
  plainTable("vault_members", {
    source: "SELECT * FROM vault_members CROSS JOIN vaults ON vaults.id = vault",
    key: ["vault", "principal_id"],
    columns: { tenant_id: string, vault_id: string, principal_id: string, role: string },
  }),
  plainTable("items", {
    source: `
      SELECT item_states.*, tenant_id, vault_id FROM item_states CROSS JOIN vaults ON vaults.id = vault`,
    key: ["item_states.id"],
    columns: {
      ...item,
      version: number,
      sequence: number,
      state: string,
      kind: string,
      updated_at: number,
      shred_at: optionalInteger,
      payload_alg: string,
      payload_version: number,
    },
  }),
  plainTable("tombstones", {
    source: `
      SELECT items.id AS id, tenant_id, vault_id, item_id, shred_at
      FROM tombstones CROSS JOIN items ON items.id = item CROSS JOIN vaults ON vaults.id = items.vault`,
    key: ["items.id"],
    columns: { ...item, shred_at: number },
  }),
  copiedContents,
  plainTable("changes", {
    source: `
      SELECT position, tenant_id, vault_id, item_id, changes.sequence AS sequence, changes.version AS version, changes.state AS state, at
      FROM changes CROSS JOIN vaults ON vaults.id = changes.vault CROSS JOIN items ON items.id = changes.item`,
    key: ["position"],
    columns: { ...item, sequence: number, version: number, state: string, at: number },
  }),
  plainTable("device_authorizations", {
    source: "SELECT * FROM device_authorizations",
    key: ["position"],
    columns: {
      device_code_hash: string,
      user_code_hash: string,
      tenant_id: string,
      oauth_client_id: string,
      requested_scopes: strings,
      pop_key_id: string,
      state: string,
      revision: number,
      created_at: number,
      expires_at: number,
      interval_seconds: number,
      last_poll_at: optionalInteger,
      approver_id: optionalText,
      approved_scopes: strings,
      consumption: toConsumption,
    },
  }),
  plainTable("user_codes", {
    source: `
      SELECT * FROM (SELECT user_code_hash, device_code_hash, max(position) FROM device_authorizations GROUP BY user_code_hash) AS newest`,
    key: ["user_code_hash"],
    columns: { user_code_hash: string, device_code_hash: string },
  }),
  plainTable("grants", {
    source: "SELECT * FROM grants",
    key: ["grant_id"],
    columns: {
      grant_id: string,
      tenant_id: string,
      principal_id: string,
      oauth_client_id: string,
      scopes: strings,
      key_id: string,
      issued_at: number,
      expires_at: number,
      access_token_id: string,
      broker_token_id: string,
      pop_key_id: string,
    },
  }),
  plainTable("tokens", {
    source: `
      SELECT * FROM (
        SELECT access_token_id AS token_id, grant_id FROM grants WHERE access_token_id <> ''
        UNION ALL SELECT broker_token_id, grant_id FROM grants WHERE broker_token_id <> ''
      ) AS tokens`,
    key: ["token_id"],
    columns: { token_id: string, grant_id: string },
  }),
  plainTable("revocations", {
    source: "SELECT * FROM revocations",
    key: ["subject_id"],
    columns: { subject_id: string, at: number },
  }),
  plainTable("oauth_clients", {
    source: "SELECT *, 1 AS revision FROM oauth_clients",
    key: ["tenant_id", "oauth_client_id"],
    columns: {
      tenant_id: string,
      oauth_client_id: string,
      name: string,
      allowed_operations: strings,
      enabled: boolean,
      redirect_uris: strings,
      grant_types: strings,
      require_pushed_authorization_requests: boolean,
      revision: number,
      registered_at: number,
      registered_by: string,
    },
  }),
  // The target has one more: how far the copy is.
  { ...records, target: `${records.target} WHERE NOT (${dataCopy})` },
  plainTable("principals", {
    source: "SELECT * FROM principals",
    key: ["tenant_id", "principal_id"],
    columns: { tenant_id: string, principal_id: string, active: boolean },
  }),
  plainTable("audit", {
    source: "SELECT * FROM audit",
    key: ["position"],
    columns: {
      subject_tenant_id: string,
      position: number,
      at: number,
      tenant_id: string,
      principal_id: string,
      oauth_client_id: string,
      token_id: string,
      operation: string,
      request_id: string,
      subject: string,
      event: string,
      version_before: number,
      version_after: number,
    },
  }),
  plainTable("audit_seals", {
    source: "SELECT * FROM audit_seals",
    key: ["position"],
    columns: {
      subject_tenant_id: string,
      position: number,
      previous_position: number,
      row_count: number,
      month: string,
      digest: string,
      trail: string,
    },
  }),
  plainTable("epochs", {
    source: "SELECT * FROM epochs",
    key: ["number"],
    columns: { number, began_at: number, backup_at: number, gap: number, new_vault_floor: number },
  }),
];

function toConsumption(row: Row): unknown {
  const grantId = optional(text, row, "consumed_grant_id");
  if (grantId === undefined) return null;
  const idempotencyKeyHash = optional(text, row, "consumed_key_hash");
  return {
    grantId,
    principalId: text(row, "consumed_by"),
    at: integer(row, "consumed_at"),
    ...(idempotencyKeyHash !== undefined && { idempotencyKeyHash }),
  };
}
