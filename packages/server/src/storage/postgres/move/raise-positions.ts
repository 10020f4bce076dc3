import type pg from "pg";

/**
 * Lets the positions of the cell go on after those of the tenant, so that its next row is the newest of its trail. Also if they are equal:
 * a sequence that was never used has the last value 1, and gives 1 next. Call it at the end of a transaction, because no position is
 * taken until that ends.
 */
export async function raisePositions(client: pg.ClientBase, tenantId: string): Promise<void> {
  const { rows } = await client.query<{ behind: boolean }>(
    `SELECT coalesce(max(position), 0) >= (SELECT last_value FROM audit_positions) AS behind FROM arrived_audit WHERE subject_tenant_id = $1`,
    [tenantId],
  );
  if (rows[0]?.behind !== true) return;
  await client.query("SET LOCAL lock_timeout = '2s'");
  await client.query("LOCK TABLE audit IN SHARE MODE");
  await client.query(
    `SELECT setval('audit_positions', greatest((SELECT last_value FROM audit_positions),
      (SELECT max(position) FROM arrived_audit WHERE subject_tenant_id = $1)))`,
    [tenantId],
  );
}
