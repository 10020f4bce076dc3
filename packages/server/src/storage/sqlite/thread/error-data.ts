import { StorageError } from "../../../ports/storage.js";
import { BackupError } from "../backup/backup-error.js";
import {
  DatabaseDamagedError,
  DatabaseForeignError,
  DatabaseInUseError,
  DatabaseNotCreatedError,
  DatabaseNotUpgradedError,
  DatabaseTooNewError,
  DatabaseTooOldError,
} from "../database/open-errors.js";

/** An error as data. A copy of an Error has neither its class nor its fields. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** The fields of the error that are text or numbers. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause: ErrorData | undefined;
}

export function toErrorData(thrown: unknown): ErrorData {
  if (!(thrown instanceof Error)) return toErrorData(new Error("a value that is not an Error was thrown"));
  const { name, message, stack, cause } = thrown;
  const fields = Object.entries(thrown).filter(([, value]) => typeof value === "string" || typeof value === "number");
  return {
    name,
    message,
    stack,
    fields: Object.fromEntries(fields),
    cause: cause === undefined ? undefined : toErrorData(cause),
  };
}

/** The fields of the errors below, as received. */
interface Fields {
  readonly reason: never;
  readonly damagedRow?: string;
  readonly path: never;
  readonly found?: string;
  readonly version: never;
  readonly newestKnown: never;
}

type Create = (fields: Fields, message: string, options: ErrorOptions) => Error;

/** The classes that callers distinguish. */
const classes: ReadonlyMap<string, Create> = new Map<string, Create>([
  ["StorageError", ({ reason, damagedRow }, _, options) => new StorageError(reason, { ...options, damagedRow })],
  ["BackupError", ({ reason }, message, options) => new BackupError(reason, message, options)],
  ["DatabaseInUseError", ({ path }, _, options) => new DatabaseInUseError(path, options)],
  ["DatabaseTooNewError", ({ path, version, newestKnown }) => new DatabaseTooNewError(path, version, newestKnown)],
  ["DatabaseTooOldError", ({ path, version }) => new DatabaseTooOldError(path, version)],
  ["DatabaseForeignError", ({ path }) => new DatabaseForeignError(path)],
  ["DatabaseDamagedError", ({ path, found }, _, options) => new DatabaseDamagedError(path, options, found)],
  ["DatabaseNotCreatedError", ({ path }, _, options) => new DatabaseNotCreatedError(path, options)],
  ["DatabaseNotUpgradedError", ({ path }, _, options) => new DatabaseNotUpgradedError(path, options)],
  ["RangeError", (_, message, options) => new RangeError(message, options)],
  ["TypeError", (_, message, options) => new TypeError(message, options)],
]);

/** `ErrorData` as received. */
export interface ReceivedError extends Omit<ErrorData, "fields" | "cause"> {
  readonly fields: Fields;
  readonly cause: ReceivedError | undefined;
}

/** Creates the error again: of its class if callers distinguish it, otherwise an Error with its name and its fields. */
export function fromErrorData({ name, message, stack, fields, cause }: ReceivedError): Error {
  const options = cause === undefined ? {} : { cause: fromErrorData(cause) };
  const create = classes.get(name);
  const error = create?.(fields, message, options) ?? Object.assign(new Error(message, options), fields, { name });
  return Object.defineProperty(error, "stack", { value: stack, configurable: true, writable: true });
}
