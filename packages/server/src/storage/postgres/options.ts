import type { Tracing } from "../../ports/tracing.js";

/** Options of the storage of a cell. */
export interface CellOptions {
  /** Tenants that every cell has, and that never move, such as that of the administrators. */
  readonly ownTenants: readonly string[];
}

/** Where the database is, and the limits of the storage. */
export interface PostgresStorageOptions {
  /** The URL of the database, such as `postgres://user:password@host:5432/platform`. */
  readonly url: string;
  /**
   * 32 random bytes or more, kept outside the database. Contents of items are encrypted at rest with keys that are derived from it:
   * without it they cannot be read. Every process of one database needs the same. While a promise is pending, contents can neither be
   * read nor written: calls that need one fail with "unavailable".
   */
  readonly contentKey: Uint8Array | Promise<Uint8Array>;
  /**
   * Makes the storage serve only the tenants that are assigned to this database, a cell: see `openPostgresCell`. Calls about others fail
   * with "not_served". Default: all tenants are served.
   */
  readonly cell?: CellOptions | undefined;
  /** The largest number of connections. Default: 4. */
  readonly connections?: number;
  /** The largest number of batches in flight. Default: 2. */
  readonly batchesInFlight?: number;
  /** The largest number of calls in one batch. Default: 256. */
  readonly batchLimit?: number;
  /** The largest number of queued calls. Further calls fail with "unavailable". Default: 10 000. */
  readonly queueLimit?: number;
  /** How long to wait for a connection, and then for a statement, in milliseconds. Default: 10 000. */
  readonly timeout?: number;
  /** How long a statement that had no effect is tried again while the server cannot be reached, in milliseconds. Default: 5000. */
  readonly retryFor?: number;
  /** Traces the batches. Default: they are not traced. */
  readonly tracing?: Tracing | undefined;
}

/** Returns `true` for a valid value, otherwise what is expected. No message contains a value: the URL may contain a password. */
type Rule = (value: unknown) => true | string;

const isPromise = (value: unknown): boolean => typeof Object(value).then === "function";

const expect = (expected: string, isValid: (value: unknown) => boolean): Rule => {
  return (value) => isValid(value) || (isPromise(value) ? "is a promise: await it" : `must be ${expected}`);
};

/** A number that has a default. */
const from = (least: number, expected: string, isNumber: (value: number) => boolean): Rule =>
  expect(
    `${expected} from ${least}`,
    (value) => value === undefined || (typeof value === "number" && value >= least && isNumber(value)),
  );
const count = from(1, "a whole number", (value) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY);
const milliseconds = (least: number) => from(least, "a number of milliseconds", Number.isFinite);

const rules: Readonly<Record<keyof PostgresStorageOptions, Rule>> = {
  url: expect(
    "the URL of the database, such as postgres://user:password@host:5432/platform",
    (value) => typeof value === "string" && /^postgres(?:ql)?:\/\/./.test(value),
  ),
  contentKey: expect(
    "a Uint8Array of 32 bytes or more, or a promise of one",
    (value) => isPromise(value) || (value instanceof Uint8Array && value.length >= 32),
  ),
  cell: expect("an object with ownTenants", (value) => value === undefined || Array.isArray(Object(value).ownTenants)),
  connections: count,
  batchesInFlight: count,
  batchLimit: count,
  queueLimit: count,
  timeout: milliseconds(1),
  retryFor: milliseconds(0),
  tracing: expect(
    "a tracing, such as that of openTelemetry",
    (value) => value === undefined || typeof Object(value).beginBatch === "function",
  ),
};

/** Checks the options of a storage on PostgreSQL. @throws TypeError that names each invalid or unknown option. */
export function checkOptions(options: unknown): void {
  const names = Object.keys(rules).join(", ");
  if (typeof options !== "object" || options === null || isPromise(options)) {
    throw new TypeError(`createPostgresStorage: the options must be an object with ${names}.`);
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  const unknown = Object.keys(given)
    .filter((name) => !Object.hasOwn(rules, name) && given[name] !== undefined)
    .map((name) => `${name} is not an option. Use ${names}.`);
  const invalid = Object.entries(rules).flatMap(([name, rule]) => {
    const problem = rule(given[name]);
    return problem === true ? [] : [`${name} ${problem}.`];
  });
  const problems = [...invalid, ...unknown];
  if (problems.length > 0) throw new TypeError(`createPostgresStorage: ${problems.join(" ")}`);
}
