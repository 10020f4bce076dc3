import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { RestoreError, restoreSqliteBackup } from "@platform-rpc/server";
import { databaseFile } from "../database-file.js";
import { errorCode } from "../error-code.js";
import type { Settings } from "../settings.js";
import { CommandError } from "./command-error.js";

/**
 * Replaces the database with a backup.
 *
 * @returns what to print.
 * @throws CommandError, SettingsError, DatabaseInUseError, DatabaseTooNewError
 */
export async function restore(settings: Settings, file: string, { gap }: { gap?: number }): Promise<string[]> {
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  const backup = resolve(file);
  const path = databaseFile(settings);
  try {
    const { number, backupAt, replaced } = restoreSqliteBackup({ backup, path, now: Date.now(), gap });
    return report({ backup, path, number, backupAt, replaced, keysFile: settings.keysFile });
  } catch (error) {
    if (error instanceof RestoreError) throw new CommandError(`Nothing was restored. ${error.message}`);
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error;
    const check = `Check that ${settings.dataDir} can be written by this user and has room.`;
    throw new CommandError(`Nothing was restored. ${error.message}. ${check}`);
  }
}

interface Report {
  readonly backup: string;
  readonly path: string;
  readonly number: number;
  readonly backupAt: number;
  readonly replaced: string | undefined;
  readonly keysFile: string;
}

function report({ backup, path, number, backupAt, replaced, keysFile }: Report): string[] {
  return [
    `Restored: ${path} from ${backup}. Its newest record is of ${new Date(backupAt).toISOString()}.`,
    `Epoch ${number} begins: clients fetch every item again, and all tokens and device codes from before are refused.`,
    ...(replaced === undefined
      ? []
      : [`The replaced database is kept in ${replaced}: delete it when you do not need it.`]),
    "",
    "What happened after the backup is undone. Do again, before callers reach the platform:",
    "  - deactivate principals, disable OAuth clients and narrow allowlists that were cut back since",
    "  - remove members of vaults that were removed since",
    "  - revoke tokens of foreign issuers that were revoked since",
    "  - delete items that were deleted since: they are live again, and content that was shredded since is back",
    "If the backup is older than an hour, nothing is shredded for a day, or until you run `platform trust-clock`.",
    `The keys are not in the backup: ${keysFile} stays as it is. See docs/backup.md.`,
  ];
}
