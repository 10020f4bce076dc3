import { resolve } from "node:path";
import { createPrivateFolder } from "@platform-rpc/files";
import { errorCode } from "@platform-rpc/front/errors";
import { createSqliteStorage, RestoreError, restoreSqliteBackup } from "@platform-rpc/server";
import { databaseFile } from "../platform/open-storage.js";
import type { Settings } from "../settings/settings.js";
import { accountSubjects } from "../witness/witness-file.js";
import { CommandError } from "./command-output.js";
import { confirmUndoneAccounts, undoneChanges } from "./undone-accounts.js";

/** @throws CommandError, SettingsError, DatabaseInUseError, DatabaseTooNewError */
export async function restore(settings: Settings, file: string, { gap }: { gap?: number }): Promise<string[]> {
  await createPrivateFolder(settings.dataDir);
  const backup = resolve(file);
  const path = databaseFile(settings);
  try {
    const restored = restoreSqliteBackup({ backup, path, now: Date.now(), gap, subjects: accountSubjects });
    const accounts = await confirmUndoneAccounts(restored.lostEvents, settings.accountsTenant, async () =>
      createSqliteStorage({ path }),
    );
    return [...report({ ...restored, backup, path, keysFile: settings.keysFile }), ...accounts];
  } catch (error) {
    if (error instanceof RestoreError) throw new CommandError(`Nothing was restored. ${error.message}`);
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error;
    const check = `Check that this user can write to ${settings.dataDir} and that the disk has free space.`;
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
    `Restored: ${path} from ${backup}. Its newest record was written at ${new Date(backupAt).toISOString()}.`,
    `Epoch ${number} begins: clients fetch every item again, and all earlier tokens and device codes are rejected.`,
    ...(replaced === undefined
      ? []
      : [`The replaced database is kept as ${replaced}. Delete it when you no longer need it.`]),
    "",
    ...undoneChanges(keysFile),
  ];
}
