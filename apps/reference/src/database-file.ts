import { join } from "node:path";
import type { Settings } from "./settings.js";

/** The path of the database file. */
export function databaseFile({ dataDir }: Pick<Settings, "dataDir">): string {
  return join(dataDir, "platform.sqlite");
}
