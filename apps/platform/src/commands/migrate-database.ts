import type { Settings } from "../settings/settings.js";
import { CommandError } from "./command-output.js";

/** Creates or migrates the tables of PostgreSQL, and gives the role of the app its rights. @throws CommandError */
export async function migrateDatabase({ databaseUrl: url }: Pick<Settings, "databaseUrl">): Promise<string[]> {
  if (url === undefined)
    throw new CommandError(
      "Set DATABASE_URL to the URL of the role that owns the database. On SQLite, the app itself migrates its database.",
    );
  const { migratePostgresDatabase } = await import("@platform-rpc/server/postgres");
  const { version } = await migratePostgresDatabase({ url });
  return [`The tables have schema version ${version}. If the role platform_app exists, it has the rights of the app.`];
}
