import * as z from "zod";
import type { Stored } from "../history/history-file.ts";
import { fixture } from "../load/plan.ts";
import type { Engine } from "./engine.ts";

type Table = keyof Stored;

const ours = `tenant_id = '${fixture.tenantId}'`;
const auditOf = (rows: string) => `
  SELECT position, at, subject_tenant_id AS "subjectTenantId", subject, event, version_before AS "versionBefore",
    version_after AS "versionAfter", tenant_id AS "tenantId", principal_id AS "principalId", oauth_client_id AS "oauthClientId",
    token_id AS "tokenId", operation, request_id AS "requestId"
  FROM ${rows} ORDER BY position`;
const sealsOf = (table: string, arrived: "true" | "false") => `
  SELECT subject_tenant_id AS "subjectTenantId", previous_position AS "previousPosition", position, row_count AS "rows", month,
    digest, trail, ${arrived} AS arrived
  FROM ${table}`;
/** A tenant that has arrived from another cell has its rows from before in a table of their own. It may have been here before that. */
const withArrived = `(
  SELECT * FROM arrived_audit
  UNION ALL
  SELECT * FROM audit AS own WHERE position > coalesce(
    (SELECT max(position) FROM arrived_audit AS a WHERE a.subject_tenant_id = own.subject_tenant_id), 0))`;
const vaults = `SELECT vault_id AS "vaultId", sequence FROM vaults WHERE ${ours}`;
/** Returns the queries of records. Both engines read members of JSON with the same operator. */
function records(json: "value" | "value::json") {
  return {
    authorizations: `
      SELECT key AS "codeHash", ${json}->>'state' AS "state", coalesce(${json}->'consumption'->>'grantId', '') AS "grantId"
      FROM records WHERE ${ours} AND collection = 'device-authorization'`,
    grants: `
      SELECT key AS "grantId", ${json}->>'accessTokenId' AS "accessTokenId", ${json}->>'brokerTokenId' AS "brokerTokenId"
      FROM records WHERE collection = 'grant'`,
    delegations: `
      SELECT key AS "delegationId", ${json}->'bounds'->>'maxDeletions' AS "allowed", ${json}->>'deletions' AS "used"
      FROM records WHERE ${ours} AND collection = 'delegation'`,
    revocations: "SELECT key AS id FROM records WHERE collection = 'revocation'",
  };
}

/** How each engine lists what a `Stored` contains. */
export const queries: Readonly<Record<Engine["name"], Readonly<Record<Table, string>>>> = {
  sqlite: {
    vaults,
    changes: `
      SELECT v.vault_id AS "vaultId", i.item_id AS "itemId", c.version, c.state, c.sequence
      FROM changes c JOIN items i ON i.id = c.item JOIN vaults v ON v.id = c.vault WHERE v.${ours} ORDER BY c.position`,
    audit: auditOf("audit"),
    seals: sealsOf("audit_seals", "false"),
    ...records("value"),
  },
  postgres: {
    vaults,
    // Nothing stored tells the order of commits. The check of acknowledged calls compares it with the order of sequences.
    changes: `
      SELECT vault_id AS "vaultId", item_id AS "itemId", version, state, sequence
      FROM changes WHERE ${ours} ORDER BY vault_id, sequence`,
    audit: auditOf(`${withArrived} AS trail`),
    seals: `${sealsOf("audit_seals", "false")} UNION ALL ${sealsOf("arrived_audit_seals", "true")}`,
    ...records("value::json"),
  },
};

const text = z.string();
// PostgreSQL returns integers of 64 bits as text.
const integer = z.coerce.number();
const rows = {
  vaults: z.array(z.object({ vaultId: text, sequence: integer })),
  changes: z.array(z.object({ vaultId: text, itemId: text, version: integer, state: text, sequence: integer })),
  audit: z.array(
    z.object({
      ...{ position: integer, at: integer, subjectTenantId: text, subject: text, event: text },
      ...{ versionBefore: integer, versionAfter: integer, tenantId: text, principalId: text },
      ...{ oauthClientId: text, tokenId: text, operation: text, requestId: text },
    }),
  ),
  seals: z.array(
    z.object({
      ...{ subjectTenantId: text, previousPosition: integer, position: integer },
      ...{ rows: integer, month: text, digest: text, trail: text, arrived: z.coerce.boolean() },
    }),
  ),
  authorizations: z.array(z.object({ codeHash: text, state: text, grantId: text })),
  grants: z.array(z.object({ grantId: text, accessTokenId: text, brokerTokenId: text })),
  delegations: z.array(z.object({ delegationId: text, allowed: integer.nullable(), used: integer })),
  revocations: z.array(z.object({ id: text }).transform(({ id }) => id)),
};

export async function readRows(run: (table: Table) => Promise<unknown>): Promise<Stored> {
  return {
    vaults: rows.vaults.parse(await run("vaults")),
    changes: rows.changes.parse(await run("changes")),
    audit: rows.audit.parse(await run("audit")),
    seals: rows.seals.parse(await run("seals")),
    authorizations: rows.authorizations.parse(await run("authorizations")),
    grants: rows.grants.parse(await run("grants")),
    delegations: rows.delegations.parse(await run("delegations")),
    revocations: rows.revocations.parse(await run("revocations")),
  };
}
