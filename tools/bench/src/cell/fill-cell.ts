import { join } from "node:path";
import { adminOf, startApp, startBuiltProgram } from "@platform-rpc/testbed/app";
import pg from "pg";
import { fixtureItem } from "../platform/fixture.ts";

export const itemsOfTenant = 20;
export const expiredOfTenant = 5;

/** The tenant that the app creates in each cell. */
export const firstTenant = "tenant-0";
const vaultId = "main";

/** Runs a command of the app about a database to its end. Returns its output. @throws when it fails */
export async function runCommand(
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string> {
  const program = startBuiltProgram("main", settings, { args });
  if ((await program.ended) !== 0) throw new Error(`${args.join(" ")} failed:\n${program.out()}${program.err()}`);
  return program.out();
}

/** The settings of a process of a cell. */
type CellSettings = Readonly<Record<"DATABASE_URL" | "CELL" | "DATA_DIR" | "DEMO" | "RATE_LIMITS", string>>;

/** Creates the first tenant of a cell with the app, and copies it with SQL. The content of a copied item cannot be decrypted. */
export async function fillCell(settings: CellSettings, tenants: number): Promise<void> {
  await createCell(settings);
  const client = new pg.Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  try {
    for (const [table, columns] of Object.entries(copied)) {
      const values = columns.map((column) => `r.${column}`).join(", ");
      await client.query(`
        INSERT INTO ${table} (tenant_id, ${columns.join(", ")})
          SELECT 'tenant-' || n, ${values} FROM ${table} AS r, generate_series(1, ${tenants - 1}) AS n WHERE r.tenant_id = '${firstTenant}'`);
    }
    await client.query(`
      INSERT INTO audit (subject_tenant_id, ${auditColumns.join(", ")})
        SELECT 'tenant-' || n, ${auditColumns.join(", ")} FROM audit, generate_series(1, ${tenants - 1}) AS n
        WHERE subject_tenant_id = '${firstTenant}'`);
    await client.query(`
      INSERT INTO records (tenant_id, collection, key, principal_id, oauth_client_id, value, revision, created_at, expires_at)
        SELECT tenant_id, 'bench', 'expired-' || n, '', '', '{}', 1, 0, 1
        FROM tenants, generate_series(1, ${expiredOfTenant}) AS n`);
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
}

/** Creates the tables of a cell, and its first tenant with the app. */
export async function createCell(settings: CellSettings): Promise<void> {
  await runCommand(settings, "migrate-database");
  await runCommand(settings, "assign-tenant", firstTenant);
  await using app = await startApp(settings);
  const admin = adminOf(app.internalUrl, join(settings.DATA_DIR, "admin.token"));
  const tenant = { tenantId: firstTenant };
  await admin("AccessAdminService/SetPrincipal", { ...tenant, principalId: "ada", active: true });
  await admin("AccessAdminService/SetOauthClient", {
    ...{ ...tenant, oauthClientId: "agent", name: "Agent", enabled: true },
    allowedOperations: ["platform.v1.VaultService/DeleteItem"],
  });
  await admin("VaultAdminService/CreateVault", { ...tenant, vaultId, retentionDays: 30 });
  await admin("VaultAdminService/SetVaultMember", { ...tenant, vaultId, principalId: "ada", role: "owner" });
  const { kind, titleHash, encryptedPayload, wrappedKeys } = fixtureItem;
  for (let item = 0; item < itemsOfTenant; item += 1) {
    const body = { ...tenant, vaultId, itemId: `item-${item}`, baseVersion: 0 };
    await admin("VaultAdminService/PutItem", { ...body, kind, titleHash, encryptedPayload, wrappedKeys });
  }
}

/** The tables with the columns besides the tenant, in the order in which they are copied. */
const copied = {
  tenants: ["state", "peer", "move_id", "revision", "changed_at"],
  vaults: ["vault_id", "retention_days", "access_revision", "sequence", "floor"],
  vault_members: ["vault_id", "principal_id", "role"],
  items: [
    ...["vault_id", "item_id", "version", "sequence", "state", "kind", "updated_at", "shred_at"],
    ...["payload_alg", "payload_version"],
  ],
  contents: ["vault_id", "item_id", "content"],
  content_keys: ["vault_id", "item_id", "salt"],
  changes: ["vault_id", "sequence", "item_id", "version", "state", "at"],
  records: [
    ...["collection", "key", "principal_id", "oauth_client_id", "value", "revision", "created_at", "expires_at"],
    "links",
  ],
} as const;

const auditColumns = [
  ...["at", "tenant_id", "principal_id", "oauth_client_id", "token_id", "operation", "request_id", "subject", "event"],
  ...["version_before", "version_after"],
];
