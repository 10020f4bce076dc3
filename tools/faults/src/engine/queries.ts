import * as z from "zod";
import { fixture } from "../load/plan.ts";
import type { Stored } from "../verify/stored.ts";
import type { Engine } from "./engine.ts";

type Table = keyof Stored;

const ours = `tenant_id = '${fixture.tenantId}'`;
const audit = 'SELECT subject, event, version_after AS "versionAfter", request_id AS "requestId" FROM audit';
const grants =
  'SELECT grant_id AS "grantId", access_token_id AS "accessTokenId", broker_token_id AS "brokerTokenId" FROM grants';
const vaults = `SELECT vault_id AS "vaultId", sequence FROM vaults WHERE ${ours}`;
const revocations = "SELECT subject_id AS id FROM revocations";

/** How each engine lists what a `Stored` contains. */
export const queries: Readonly<Record<Engine["name"], Readonly<Record<Table, string>>>> = {
  sqlite: {
    vaults,
    changes: `
      SELECT v.vault_id AS "vaultId", i.item_id AS "itemId", c.version, c.state, c.sequence
      FROM changes c JOIN items i ON i.id = c.item JOIN vaults v ON v.id = c.vault WHERE v.${ours} ORDER BY c.position`,
    audit,
    authorizations: `
      SELECT device_code_hash AS "codeHash", state, coalesce(consumed_grant_id, '') AS "grantId"
      FROM device_authorizations WHERE ${ours}`,
    grants,
    revocations,
  },
  postgres: {
    vaults,
    // Nothing stored tells the order of commits. The check of acknowledged calls compares it with the order of sequences.
    changes: `
      SELECT vault_id AS "vaultId", item_id AS "itemId", version, state, sequence
      FROM changes WHERE ${ours} ORDER BY vault_id, sequence`,
    audit,
    authorizations: `
      SELECT device_code_hash AS "codeHash", state, coalesce(consumption->>'grantId', '') AS "grantId"
      FROM device_authorizations WHERE ${ours}`,
    grants,
    revocations,
  },
};

const text = z.string();
// PostgreSQL returns integers of 64 bits as text.
const integer = z.coerce.number();
const rows = {
  vaults: z.array(z.object({ vaultId: text, sequence: integer })),
  changes: z.array(z.object({ vaultId: text, itemId: text, version: integer, state: text, sequence: integer })),
  audit: z.array(z.object({ subject: text, event: text, versionAfter: integer, requestId: text })),
  authorizations: z.array(z.object({ codeHash: text, state: text, grantId: text })),
  grants: z.array(z.object({ grantId: text, accessTokenId: text, brokerTokenId: text })),
  revocations: z.array(z.object({ id: text }).transform(({ id }) => id)),
};

/** Reads every table with a function that runs its query. */
export async function readRows(run: (table: Table) => Promise<unknown>): Promise<Stored> {
  return {
    vaults: rows.vaults.parse(await run("vaults")),
    changes: rows.changes.parse(await run("changes")),
    audit: rows.audit.parse(await run("audit")),
    authorizations: rows.authorizations.parse(await run("authorizations")),
    grants: rows.grants.parse(await run("grants")),
    revocations: rows.revocations.parse(await run("revocations")),
  };
}
