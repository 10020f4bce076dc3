import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Backup, BackupError, backUpSqliteDatabase, DatabaseInUse } from "@platform/server";
import { createAdminClients } from "../admin-clients.js";
import { databaseFile } from "../database-file.js";
import { listenerUrl } from "../listener-url.js";
import type { Settings } from "../settings.js";
import { CommandError } from "./command-error.js";

/** As long as the server lets a call take. Its answer says when that is over, so this end sets no timer. */
const headers = { "Connect-Timeout-Ms": "30000" };

/**
 * Makes a backup: asks the platform for it when it is running, and otherwise copies the database itself.
 *
 * @returns what to print.
 * @throws CommandError, SettingsError
 */
export async function backUp(settings: Settings, file: string): Promise<string[]> {
  const path = resolve(file);
  // The platform answers a repeated call for a minute: a second command must not take the first one's backup for its own.
  if (existsSync(path)) throw failed(path, "The file exists, and a backup never replaces one. Choose another name.");
  const { bytes } = await copyDatabase(settings, path).catch((error: unknown) => {
    if (error instanceof BackupError) throw failed(path, error.message);
    throw error;
  });
  return [
    `Backup made: ${path} (${Math.ceil(bytes / 1024).toLocaleString("en")} KiB). It passed its integrity check.`,
    `The keys are not in it. Keep a copy of ${settings.keysFile} in another place.`,
  ];
}

async function copyDatabase(settings: Settings, path: string): Promise<Pick<Backup, "bytes">> {
  try {
    return await backUpSqliteDatabase(databaseFile(settings), path);
  } catch (error) {
    if (error instanceof DatabaseInUse) return askServer(settings, path);
    throw error;
  }
}

/** The backup goes on when a call runs out of time, and the next call waits for it. */
async function askServer(settings: Settings, path: string): Promise<Pick<Backup, "bytes">> {
  const internalUrl = listenerUrl(settings.internalHost, settings.internalPort);
  for (;;) {
    // Read again for each call: the platform renews the token, and revokes the one before.
    const adminToken = await readAdminToken(settings, path);
    const { maintenance } = createAdminClients({ internalUrl, adminToken });
    try {
      const { kibibytes } = await maintenance.backUpDatabase({ path }, { headers });
      return { bytes: kibibytes * 1024 };
    } catch (error) {
      const { code, rawMessage, details } = ConnectError.from(error);
      // The platform's own errors have details. What answers without them is something else, or nothing.
      const known = details.length > 0 && code !== Code.Unauthenticated;
      if (!known) throw failed(path, elsewhere(internalUrl));
      if (code !== Code.DeadlineExceeded) throw failed(path, rawMessage);
    }
  }
}

async function readAdminToken({ dataDir }: Settings, path: string): Promise<string> {
  const file = join(dataDir, "admin.token");
  return readFile(file, "utf8").catch(() => {
    throw failed(path, `The platform is running, but ${file} cannot be read. Run this as the user of the platform.`);
  });
}

function elsewhere(internalUrl: string): string {
  return (
    `A process uses the database, but does not answer at ${internalUrl} as the platform of this data directory. ` +
    "Set DATA_DIR, INTERNAL_HOST and INTERNAL_PORT as they are set for the running platform."
  );
}

function failed(path: string, why: string): CommandError {
  return new CommandError(`The backup ${path} was not made. ${why}`);
}
