import * as check from "@platform-rpc/options";

// No message contains a value: a URL may contain a password.
const isUrl = (value: unknown) => typeof value === "string" && /^postgres(?:ql)?:\/\/./.test(value);

export const databaseUrl = check.must(
  "be the URL of the database, such as postgres://user:password@host:5432/platform",
  isUrl,
);
export const count = check.may("be a whole number from 1", (value) =>
  Number.isInteger(value) ? check.isFrom(1)(value) : value === Number.POSITIVE_INFINITY,
);
export const milliseconds = (least: number) =>
  check.may(`be a number of milliseconds from ${least}`, check.isFrom(least, Number.MAX_VALUE));
export const tracing = check.may("be a tracing, such as that of openTelemetry", (value) =>
  check.hasFunctions(value, "beginBatch", "current"),
);
export const id = check.must("be the id of a tenant", check.isText);
export const ids = check.must("be a list of the ids of tenants", (value) => check.isListOf(value, check.isText));
/** A time in milliseconds since the Unix epoch. */
export const time = check.must("be a time in whole milliseconds, such as Date.now()", Number.isSafeInteger);
export const gap = check.may("be a whole number from 0", (value) => Number.isInteger(value) && check.isFrom(0)(value));
export const onStep = check.ofType("function");

export const pathTo = (file: string) => check.must(`be ${file}, as a string`, check.isText);

const isCell = (value: unknown) => check.isText(Object(value).name) && isUrl(Object(value).url);
export const cell = check.must("be a cell: an object with its name and the url of its database", isCell);
export const cells = check.must("be a list of cells: objects with a name and the url of a database", (value) =>
  check.isListOf(value, isCell),
);

/** What every command has that moves a tenant from a cell to another. */
export const betweenCells = { tenantId: id, from: cell, to: cell };

export const urlRules: check.OptionRules<{ readonly url: string }> = { url: databaseUrl };
