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
import { ListenError } from "./listeners/open-listeners.js";
import { DatabaseMovedError } from "./platform/open-storage.js";
import { SettingsError } from "./settings/settings.js";

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
];

/** The errors of the entry for PostgreSQL, by their names: their classes would load the driver. */
const selfExplanatoryNames = [
  "PostgresSchemaTooNewError",
  "PostgresSchemaTooOldError",
  "PostgresOwnerRequiredError",
  "PostgresCellError",
  "PostgresInUseError",
];

/** Returns the message for the operator: what failed, why, and what to do next. */
export function explainStartError(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(explainStartError).join("\n");
  // Closing what was already open has failed too, usually for the same reason.
  if (thrown instanceof SuppressedError) return explainStartError(thrown.suppressed);
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
  if (thrown instanceof StorageError && thrown.cause instanceof Error) {
    return `The database cannot be used: ${thrown.cause.message}\nCheck that it runs, and that DATABASE_URL is right.`;
  }
  const code = errorCode(thrown);
  if (thrown instanceof Error && code !== undefined) {
    return `The platform could not start: ${thrown.message}\nCheck that DATA_DIR is a folder that this user can write to, and that its disk has free space.`;
  }
  const what =
    thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : "a value that is not an Error was thrown";
  return `The platform could not start: ${what}\nThis is a bug in the program. Please report it.`;
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
