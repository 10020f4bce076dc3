import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { BackupError, backUpSqliteDatabase } from "@platform-rpc/server";
import { type Backup, DatabaseInUseError } from "@platform-rpc/server/host";
import { databaseFile } from "../platform/open-storage.js";
import type { Settings } from "../settings/settings.js";
import { CommandError } from "./command-output.js";
import { callRunningPlatform } from "./running-platform.js";

/** The longest deadline the server allows. The server enforces it, so the client sets no timer. */
const headers = { "Connect-Timeout-Ms": "30000" };

/** Makes a backup: by the running platform, otherwise with a copy of the database. @throws CommandError, SettingsError */
export async function backUp(settings: Settings, file: string): Promise<string[]> {
  const path = resolve(file);
  // The platform repeats its response for a minute. A second command must not report the backup of the first one.
  if (existsSync(path)) throw failed(path, "The file already exists and is not overwritten. Choose another name.");
  const { bytes } = await copyDatabase(settings, path).catch((error: unknown) => {
    if (error instanceof BackupError) throw failed(path, error.message);
    throw error;
  });
  return [
    `Backup made: ${path} (${Math.ceil(bytes / 1024).toLocaleString("en")} KiB). It passed its integrity check.`,
    `The backup does not contain the keys. Keep a copy of ${settings.keysFile} in another place.`,
  ];
}

async function copyDatabase(settings: Settings, path: string): Promise<Pick<Backup, "bytes">> {
  try {
    return await backUpSqliteDatabase(databaseFile(settings), path);
  } catch (error) {
    if (error instanceof DatabaseInUseError) return askServer(settings, path);
    throw error;
  }
}

/** Calls again after each deadline: the backup continues on the server, and the next call waits for it. */
async function askServer(settings: Settings, path: string): Promise<Pick<Backup, "bytes">> {
  for (;;) {
    try {
      // Reads the token again for each call: the platform renews it and revokes the old one.
      const { kibibytes } = await callRunningPlatform(settings, ({ maintenance }) =>
        maintenance.backUpDatabase({ path }, { headers }),
      );
      return { bytes: kibibytes * 1024 };
    } catch (error) {
      if (error instanceof CommandError) throw failed(path, `Another process uses the database. ${error.message}`);
      const { code, rawMessage } = ConnectError.from(error);
      if (code !== Code.DeadlineExceeded) throw failed(path, rawMessage);
    }
  }
}

function failed(path: string, why: string): CommandError {
  return new CommandError(`The backup ${path} was not made. ${why}`);
}
