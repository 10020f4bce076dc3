import { BrokersFileError } from "@platform-rpc/accounts/oauth/brokers-file";
import { errorCode } from "@platform-rpc/front/errors";
import { KeyFileError, KeysMismatchError, StorageError } from "@platform-rpc/server";
import {
  DatabaseDamagedError,
  DatabaseForeignError,
  DatabaseInUseError,
  DatabaseNotCreatedError,
  DatabaseNotUpgradedError,
  DatabaseTooNewError,
  DatabaseTooOldError,
} from "@platform-rpc/server/host";
import { CommandError } from "./commands/command-output.js";
import { ListenError } from "./listeners/bind-sockets.js";
import { DatabaseMovedError, databaseFile } from "./platform/open-storage.js";
import { readSettings, SettingsError } from "./settings/settings.js";
import { WitnessDamagedError } from "./witness/witness-file.js";

type Environment = Parameters<typeof readSettings>[0];

const otherKeys = "With other keys, all current tokens, user codes and idempotency keys stop working.";

const selfExplanatory = [
  BrokersFileError,
  CommandError,
  SettingsError,
  DatabaseInUseError,
  DatabaseTooNewError,
  DatabaseTooOldError,
  DatabaseForeignError,
  DatabaseDamagedError,
  DatabaseNotCreatedError,
  DatabaseNotUpgradedError,
  DatabaseMovedError,
  WitnessDamagedError,
];

/** The errors of the entry for PostgreSQL, by their names: their classes would load the driver. */
const selfExplanatoryNames = [
  "PostgresSchemaTooNewError",
  "PostgresSchemaTooOldError",
  "PostgresOwnerRequiredError",
  "PostgresCellError",
  "PostgresInUseError",
];

/** Returns the message for the operator: what failed, why, and what to do next. @param environment the settings of the process */
export function explainStartError(thrown: unknown, environment: Environment = process.env): string {
  if (thrown instanceof AggregateError)
    return thrown.errors.map((each) => explainStartError(each, environment)).join("\n");
  // Closing what was already open has failed too, usually for the same reason.
  if (thrown instanceof SuppressedError) return explainStartError(thrown.suppressed, environment);
  if (thrown instanceof ListenError) return explainListenError(thrown);
  if (thrown instanceof KeyFileError) {
    if (errorCode(thrown.cause) === "ENOSPC") return `${thrown.message}\nFree space on that disk and start again.`;
    return `${thrown.message}\nFix the file, or restore it from a backup. ${otherKeys}`;
  }
  if (thrown instanceof KeysMismatchError) {
    const restore = "Restore the file from its backup, or set KEYS_FILE to where it is.";
    return `${thrown.message}\n${restore} ${otherKeys}\nTo accept that, start once with REPLACE_KEYS=${thrown.expected}`;
  }
  if (thrown instanceof Error && selfExplanatory.some((type) => thrown instanceof type)) return thrown.message;
  if (thrown instanceof Error && selfExplanatoryNames.includes(thrown.name)) return thrown.message;
  if (thrown instanceof StorageError && thrown.cause instanceof Error)
    return explainStorageError(thrown.cause, environment);
  const code = errorCode(thrown);
  if (thrown instanceof Error && code === "ERR_SQLITE_ERROR") return explainStorageError(thrown, environment);
  if (thrown instanceof Error && code !== undefined) {
    return `The platform could not start: ${thrown.message}\nCheck that DATA_DIR is a folder that this user can write to, and that its disk has free space.`;
  }
  const what =
    thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : "a value that is not an Error was thrown";
  return `The platform could not start: ${what}\nThis is a bug in the program. Please report it.`;
}

function explainStorageError({ message }: Error, environment: Environment): string {
  const settings = readSettings(environment);
  if (settings.databaseUrl !== undefined)
    return `The database cannot be used: ${message}\nCheck that it runs, and that DATABASE_URL is right.`;
  return (
    `The database file ${databaseFile(settings)} cannot be used: ${message}\nCheck its disk. If the file is damaged, keep a copy ` +
    "of it and of its -wal file, and restore the newest backup with `platform restore FILE`."
  );
}

function explainListenError({ address: { host, port }, settings, cause }: ListenError): string {
  switch (errorCode(cause)) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use by another process.\nStop that process, or set ${settings.port} to another port.`;
    case "EACCES":
      return `This user is not allowed to listen on port ${port} of ${host}.\nSet ${settings.port} to a port above 1023.`;
    default:
      return `${host} is not an address of this machine.\nSet ${settings.host} to one that is, such as 127.0.0.1.`;
  }
}
