import type { Settings } from "../settings/settings.js";
import { CommandError } from "./command-output.js";

/**
 * Assigns a tenant to the cell whose database DATABASE_URL names.
 *
 * @returns the lines to print.
 * @throws CommandError
 */
export async function assignTenant(
  { databaseUrl: url }: Pick<Settings, "databaseUrl">,
  tenantId: string,
): Promise<string[]> {
  if (url === undefined) {
    throw new CommandError("Set DATABASE_URL to the database of the cell, as the role that owns it.");
  }
  const { openPostgresCell } = await import("@platform-rpc/server/postgres");
  const cell = await openPostgresCell({ url });
  try {
    if (await cell.assign(tenantId)) return [`The cell serves the tenant ${tenantId} from now on.`];
    const tenant = (await cell.list()).find((each) => each.tenantId === tenantId);
    if (tenant?.state === "serving") return [`The cell serves the tenant ${tenantId} already.`];
    throw new CommandError(
      `Nothing was changed: the tenant ${tenantId} was assigned to this cell before, and its state is "${tenant?.state}".`,
    );
  } finally {
    await cell.close();
  }
}
